import Foundation
import Testing

@testable import AnabranchModel

/// Archives of a few bytes that stand for very many objects.
@Suite struct HostileArchiveTests {
    /// Reads a model with one fetch request, and expects that it is refused.
    private func expectRefusal(
        _ archive: TestArchive, predicate: TestArchive.Item
    ) throws {
        var archive = archive
        let request = archive.object(
            "NSFetchRequest", ["NSEntityName": .text("Photo"), "NSPredicate": predicate])
        let entity = archive.object("NSEntityDescription", ["NSEntityName": .text("Photo")])
        let root = archive.object(
            "NSManagedObjectModel",
            [
                "NSEntities": archive.dictionary(["Photo": entity]),
                "NSFetchRequestTemplates": archive.dictionary(["all": request]),
            ])
        let data = archive.data(root: root)
        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel.reading(compiled: data, file: "Photos.mom")
        }
        #expect(error?.code == .notAModel && error?.file == "Photos.mom")
        #expect(error?.message.contains("\(data.count) bytes") ?? false)
    }

    private func both(_ part: TestArchive.Item) -> [String: TestArchive.Item] {
        ["NSCompoundPredicateType": .integer(1), "NSSubpredicates": .list([part, part])]
    }

    @Test func `a predicate that names its part twice at each level`() throws {
        var archive = TestArchive()
        var part = archive.object("NSTruePredicate", [:])
        for _ in 0..<50 { part = archive.object("NSCompoundPredicate", both(part)) }
        try expectRefusal(archive, predicate: part)
    }

    @Test func `a predicate that contains itself`() throws {
        var archive = TestArchive()
        // The first object is followed by its class.
        let predicate = archive.object("NSCompoundPredicate", both(.reference(2)))
        guard case .reference(2) = predicate else {
            Issue.record("the archive numbers its objects in another way")
            return
        }
        try expectRefusal(archive, predicate: predicate)
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
