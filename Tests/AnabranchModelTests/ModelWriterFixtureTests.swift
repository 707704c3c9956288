import AnabranchModel
import Foundation
import Testing

/// Tests that the fixtures' models are the same after they were read, written and read again.
@Suite(.enabled(if: ModelFixtures.folder != nil, "there are no fixtures here"))
struct ModelWriterFixtureTests {
    @Test func `every model of the fixtures is read, written and read again as an equal one`()
        throws
    {
        var count = 0
        for version in ModelFixtures.versions() {
            guard let model = try? ManagedObjectModel.reading(version) else { continue }
            count += 1
            let text = try model.xcodeModelText()
            let again = try ManagedObjectModel.reading(xml: Data(text.utf8))
            #expect(again.declaration == model.declaration, "\(version.path)")
            #expect(again == model)
            #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
            #expect(kept(again.warnings) == kept(model.warnings), "\(version.path)")
            #expect(try again.xcodeModelText() == text)
        }
        #expect(count == 86)
    }

    /// The warnings of what the model contains, without their places.
    ///
    /// What reading leaves out is not in the model, so the written file warns of it no more.
    private func kept(_ warnings: [ModelWarning]) -> [String] {
        warnings.filter { $0.code == .missingInverse }.map(\.message)
    }
}
