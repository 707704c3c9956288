import Anabranch
import Foundation
import TestSupport
import Testing

@Entity final class Jotting: ManagedObject {
    @Attribute(mergeRule: .keepBoth) var text: String?
    @Attribute(group: "span") var start: Int64
    @Attribute(group: "span") var end: Int64

    fileprivate var loud: String? { text?.uppercased() }
}

/// Tests of the values that a store holds for an object, read by key paths.
@Suite struct `Held values by key path` {
    private let directory: TemporaryDirectory
    private let first: PersistentContainer
    private let second: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory("held")
        first = try PersistentContainer(
            for: Jotting.self, url: URL(filePath: directory.file("first.store")))
        second = try PersistentContainer(
            for: Jotting.self, url: URL(filePath: directory.file("second.store")))
        for container in [first, second] { try container.load() }
        let zone = Zone()
        try first.newBackgroundContext().performAndWait { context throws in
            let jotting = try context.insert(Jotting.self)
            (jotting.start, jotting.end) = (1, 2)
            try context.save()
        }
        for container in [first, second] { try zone.exchange(container.coordinator) }
        for (container, author) in [(first, "Ada"), (second, "Bob")] {
            Thread.sleep(forTimeInterval: 0.002)
            try container.newBackgroundContext().performAndWait { context throws in
                context.transactionAuthor = author
                try Self.jotting(context).text = "of \(author)"
                try context.save()
            }
        }
        for container in [first, second, first] { try zone.exchange(container.coordinator) }
    }

    private static func jotting(_ context: ManagedObjectContext) throws -> Jotting {
        try #require(try context.fetch(FetchRequest<Jotting>()).first)
    }

    @Test func `are both of a property that keeps both, with author and time`() throws {
        try first.newBackgroundContext().performAndWait { context throws in
            let jotting = try Self.jotting(context)
            let values = try jotting.values(of: \.text)
            #expect(values.map(\.value) == ["of Bob", "of Ada"])
            #expect(values.map(\.write.author) == ["Bob", "Ada"])
            #expect(values[0].write.stamp > values[1].write.stamp)
            #expect(jotting.text == "of Bob")
            let hidden = try context.hiddenWrites(of: jotting.objectID)
            #expect(hidden.map(\.held.value) == [.string("of Ada")])
            #expect(hidden.first?.rule == .keepBoth && hidden.first?.key == "text")
        }
    }

    @Test func `are counted by a key path, to find the objects with a choice`() throws {
        try first.newBackgroundContext().performAndWait { context throws in
            let request = try FetchRequest<Jotting>(where: (\Jotting.text).heldValueCount > 1)
            #expect(try context.fetch(request) == [Self.jotting(context)])
            let others = try FetchRequest<Jotting>(where: (\Jotting.text).heldValueCount > 2)
            #expect(try context.fetch(others).isEmpty)
            let wrong = try FetchRequest<Jotting>(where: (\Jotting.start).heldValueCount > 1)
            let error = #expect(throws: FetchPredicateError.self) { try context.fetch(wrong) }
            #expect(error?.code == .notACollection)
        }
    }

    @Test func `of a member of a group are the member's own`() throws {
        try second.newBackgroundContext().performAndWait { context throws in
            let jotting = try Self.jotting(context)
            #expect(try jotting.values(of: \.end).map(\.value) == [2])
        }
    }

    @Test func `are refused for a property that is computed`() throws {
        try second.newBackgroundContext().performAndWait { context throws in
            let jotting = try Self.jotting(context)
            let error = #expect(throws: FetchPredicateError.self) {
                try jotting.values(of: \.loud)
            }
            #expect(error?.code == .notAProperty)
        }
    }
}
