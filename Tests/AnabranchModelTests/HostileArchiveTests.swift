import Foundation
import Testing

@testable import AnabranchModel

/// Archives of a few bytes that stand for very many objects.
@Suite struct HostileArchiveTests {
    /// Returns a model with one entity and one fetch request.
    private func model(
        _ archive: TestArchive, predicate: TestArchive.Item = .text("$null"),
        userInfo: TestArchive.Item = .text("$null")
    ) -> Data {
        var archive = archive
        let request = archive.object(
            "NSFetchRequest", ["NSEntityName": .text("Photo"), "NSPredicate": predicate])
        let entity = archive.object(
            "NSEntityDescription", ["NSEntityName": .text("Photo"), "NSUserInfo": userInfo])
        let root = archive.object(
            "NSManagedObjectModel",
            [
                "NSEntities": archive.dictionary(["Photo": entity]),
                "NSFetchRequestTemplates": archive.dictionary(["all": request]),
            ])
        return archive.data(root: root)
    }

    /// Returns a model of some 60 KB in which so many values are one text of almost that length.
    private func model(references count: Int) -> Data {
        var archive = TestArchive()
        let text = archive.shared(String(repeating: "long ", count: 12_000))
        let entries = (0..<count).map { ("key \($0)", text) }
        let userInfo = archive.dictionary(Dictionary(uniqueKeysWithValues: entries))
        return model(archive, userInfo: userInfo)
    }

    /// Expects that a model is refused because of what its bytes stand for.
    private func expectRefusal(_ data: Data) {
        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel.reading(compiled: data, file: "Photos.mom")
        }
        #expect(error?.code == .notAModel && error?.file == "Photos.mom")
        #expect(error?.message.contains("\(data.count) bytes") ?? false)
    }

    private func both(_ part: TestArchive.Item) -> [String: TestArchive.Item] {
        ["NSCompoundPredicateType": .integer(1), "NSSubpredicates": .list([part, part])]
    }

    @Test func `a predicate that names its part twice at each level`() {
        var archive = TestArchive()
        var part = archive.object("NSTruePredicate", [:])
        for _ in 0..<50 { part = archive.object("NSCompoundPredicate", both(part)) }
        expectRefusal(model(archive, predicate: part))
    }

    @Test func `a predicate that contains itself`() throws {
        var archive = TestArchive()
        // The first object is followed by its class.
        let predicate = archive.object("NSCompoundPredicate", both(.reference(2)))
        guard case .reference(2) = predicate else {
            Issue.record("the archive numbers its objects in another way")
            return
        }
        expectRefusal(model(archive, predicate: predicate))
    }

    @Test func `a long text that many values refer to`() throws {
        let few = try ManagedObjectModel.reading(compiled: model(references: 5))
        #expect(few.declaration.entities[0].userInfo.count == 5)
        expectRefusal(model(references: 250))
    }

    @Test func `a text and a list that contain themselves are left out`() throws {
        var archive = TestArchive()
        // Each object is followed by its class.
        let text = archive.object("NSString", ["NS.string": .reference(2)])
        let list = archive.object("NSArray", ["NS.objects": .reference(4)])
        let entity = archive.object(
            "NSEntityDescription", ["NSEntityName": .text("Photo"), "NSUniqueTuples": list])
        let root = archive.object(
            "NSManagedObjectModel",
            [
                "NSEntities": archive.dictionary(["Photo": entity]),
                "NSVersionIdentifiers": .list([text]),
            ])
        let model = try ManagedObjectModel.reading(compiled: archive.data(root: root))
        #expect(model.declaration.versionIdentifier == nil)
        #expect(model.entities[0].ownUniquenessConstraints.isEmpty)
    }

    @Test func `lists that share their bytes`() {
        func list(sharing count: Int) -> BinaryPropertyList? {
            let members = 200
            var bytes = Array("bplist00".utf8) + [0xAF, 0x10, UInt8(members)]
            bytes += [UInt8](repeating: 0, count: members)
            let table = bytes.count
            bytes += [UInt8](repeating: 8, count: count)
            for number in [UInt64(count), 0, UInt64(table)] {
                if number == UInt64(count) { bytes += [0, 0, 0, 0, 0, 0, 1, 1] }
                bytes += withUnsafeBytes(of: number.bigEndian) { Array($0) }
            }
            return BinaryPropertyList(bytes)
        }
        #expect(list(sharing: 1) != nil)
        #expect(list(sharing: 200) == nil)
    }
}
