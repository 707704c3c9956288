import Anabranch
import Foundation
import TestSupport
import Testing

/// An entity with more attributes than a function of SQLite takes arguments.
struct WideEntityTests {
    private static let width = 150

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Wide") {
                for number in 0..<width { AttributeDeclaration("a\(number)", .integer64) }
                RelationshipDeclaration("twin", to: "Wide", inverse: "twins")
                RelationshipDeclaration("twins", toMany: "Wide", inverse: "twin")
            }
        }
    }

    private static func sum(_ object: ManagedObject) -> Int64 {
        (0..<width).reduce(0) { sum, number in
            guard case .integer(let value) = object["a\(number)"] else { return sum }
            return sum + value
        }
    }

    @Test func `wide rows are fetched, refetched and found by relationships`() throws {
        let folder = try TemporaryDirectory("wide")
        let container = PersistentContainer(
            model: try Self.model(), classes: [],
            url: URL(filePath: folder.file("store.anabranch")))
        try container.load()
        let ids = try container.newBackgroundContext().performAndWait { context in
            let objects = try (1...3).map { factor in
                let object = try context.insert("Wide")
                for number in 0..<Self.width {
                    object["a\(number)"] = .integer(Int64(number * factor))
                }
                return object
            }
            try objects[0].setObject(objects[1], forKey: "twin")
            try objects[2].setObject(objects[1], forKey: "twin")
            try context.save()
            return objects.map(\.objectID)
        }
        let expected: [Int64] = [11_175, 22_350, 33_525]
        try container.newBackgroundContext().performAndWait { context in
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Wide"))
            #expect(found.map(Self.sum).sorted() == expected)
        }
        container.newBackgroundContext().performAndWait { context in
            let faults = ids.map { context.object(with: $0) }
            #expect(faults.map(Self.sum) == expected)
        }
        try container.newBackgroundContext().performAndWait { context in
            var request = FetchRequest<ManagedObject>(entityName: "Wide")
            request.predicate = try FetchPredicate("a1 == 2")
            request.relationshipKeyPathsForPrefetching = ["twins"]
            let owner = try #require(try context.fetch(request).first)
            #expect(owner.objectID == ids[1])
            let twins = try owner.objects(forKey: "twins")
            #expect(twins.map(Self.sum).sorted() == [11_175, 33_525])
        }
    }
}
