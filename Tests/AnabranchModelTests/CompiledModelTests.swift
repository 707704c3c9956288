import AnabranchModel
import Foundation
import Testing

/// Tests of compiled models with parts that no store of the fixtures has.
@Suite struct CompiledModelTests {
    /// The class and the values of a property in an archive.
    private typealias Archived = (className: String, values: [String: TestArchive.Item])

    /// Reads a model of one entity.
    private func photo(_ properties: [String: Archived]) throws -> EntityDescription {
        var archive = TestArchive()
        let parts = properties.mapValues { archive.object($0.className, $0.values) }
        let entity = archive.object(
            "NSEntityDescription",
            ["NSEntityName": .text("Photo"), "NSProperties": archive.dictionary(parts)])
        let root = archive.object(
            "NSManagedObjectModel", ["NSEntities": archive.dictionary(["Photo": entity])])
        let model = try ManagedObjectModel.reading(compiled: archive.data(root: root))
        return try #require(model.entity(named: "Photo"))
    }

    private func attribute(_ type: Int, flags: Int = 0, isTransient: Bool = false) -> Archived {
        (
            "NSAttributeDescription",
            [
                "NSAttributeType": .integer(type), "NSIsOptional": .flag(true),
                "NSFlagsKey": .integer(flags), "NSIsTransient": .flag(isTransient),
            ]
        )
    }

    @Test func `flags say which values have files, and which are kept after a deletion`() throws {
        let entity = try photo([
            "plain": attribute(1000), "bounded": attribute(1000, flags: 3),
            "file": attribute(1000, flags: 4), "kept": attribute(1100, flags: 16),
            "both": attribute(1000, flags: 20),
        ])
        let declared = entity.attributes.map(\.declaration)
        #expect(
            declared.filter(\.allowsExternalBinaryDataStorage).map(\.name) == ["both", "file"])
        #expect(
            declared.filter(\.preservesValueInHistoryOnDeletion).map(\.name) == ["both", "kept"])
    }

    @Test func `a transient relationship is one in memory`() throws {
        func relationship(_ inverse: String, _ most: Int) -> Archived {
            (
                "NSRelationshipDescription",
                [
                    "_NSDestinationEntityName": .text("Photo"),
                    "_NSInverseRelationshipName": .text(inverse), "NSMaxCount": .integer(most),
                    "NSIsTransient": .flag(true), "NSIsOptional": .flag(true),
                    "NSIsOrdered": .flag(most == 0),
                ]
            )
        }
        let entity = try photo([
            "shown": relationship("showing", 0), "showing": relationship("shown", 1),
        ])
        #expect(entity.relationships.map(\.isTransient) == [true, true])
        #expect(entity.relationships.allSatisfy { $0.inverse?.inverse === $0 })
        let sides = Dictionary(
            uniqueKeysWithValues: entity.relationships.map { ($0.name, $0.storage) })
        #expect(sides == ["showing": .memory(.left), "shown": .memory(.right)])
    }

    @Test func `an attribute without a type is transient, or refused by its name`() throws {
        let entity = try photo(["any": attribute(0, isTransient: true)])
        #expect(entity.attributes.map(\.type) == [.undefined])
        let error = try #require(throws: ModelError.self) { try photo(["any": attribute(0)]) }
        #expect(error.entity == "Photo" && error.property == "any")
    }

    @Test func `a composite attribute without a list of elements is refused by its name`() throws {
        let home: Archived = (
            "NSCompositeAttributeDescription",
            ["NSAttributeType": .integer(2100), "NSIsOptional": .flag(true)]
        )
        let error = try #require(throws: ModelError.self) { try photo(["home": home]) }
        #expect(error.code == .notSupportedYet && error.feature == .compositeAttribute)
        #expect(error.entity == "Photo" && error.property == "home")
        #expect(error.message.contains("read the .xcdatamodel"), "\(error)")
    }
}
