import Anabranch
import AnabranchSQLite
import Foundation
import Synchronization
import Testing

@testable import AnabranchStore

/// Tests of what is kept of typed requests that are made anew each time.
@Suite struct `Requests that are made anew` {
    @Test func `an equal request of other values writes no SQL and prepares no statement`() throws {
        try Graph().inContext { context throws in
            for age in 0..<5 { try context.person("Anna", age: Int64(age)) }
            try context.save()
            let store = context.coordinator.store
            func count(_ age: Int64, _ name: String?) throws -> Int {
                let request = try FetchRequest<Person>(where: \.age >= age && \.firstName == name)
                return try context.count(for: request)
            }
            #expect(try count(1, "Anna") == 4)
            let known = store.schema.fetches.count
            let preparations = store.readStatistics.preparations
            for age in 2..<5 { #expect(try count(Int64(age), "Anna") == 5 - age) }
            #expect(try count(0, "Bob") == 0)
            #expect(store.schema.fetches.count == known)
            #expect(store.readStatistics.preparations == preparations)
            #expect(try count(0, nil) == 0)
            #expect(store.schema.fetches.count == known + 1)
            #expect(store.readStatistics.preparations == preparations + 1)
        }
    }

    @Test func `a key path literal is applied to objects only once`() throws {
        func predicate(_ name: String) throws -> FetchPredicate {
            try FetchPredicate(\CountingPerson.name == name)
        }
        #expect(try predicate("Anna") == FetchPredicate("name == 'Anna'"))
        let reads = CountingPerson.reads.load(ordering: .relaxed)
        #expect(try predicate("Bob") == FetchPredicate("name == 'Bob'"))
        #expect(reads > 0 && CountingPerson.reads.load(ordering: .relaxed) == reads)
    }

    @Test func `many shapes are forgotten, not collected`() throws {
        try Graph().inContext { context throws in
            let schema = context.coordinator.store.schema
            for number in 0..<300 {
                let format = (0...number % 20).map { _ in "age > 1" }.joined(separator: " AND ")
                var request = FetchRequest<Person>()
                request.predicate = try FetchPredicate(format)
                if number >= 20 { request.fetchLimit = 1 }
                if number % 7 < 3 { request.includesSubentities = false }
                if number % 5 > 1 { request.sorts = [FetchSort("age")] }
                if number % 3 > 1 { request.sorts.append(FetchSort("firstName")) }
                #expect(try context.count(for: request) == 0)
                #expect(schema.fetches.count <= 128)
            }
            var long = FetchRequest<Person>()
            let known = schema.fetches.count
            long.predicate = try FetchPredicate(
                [String](repeating: "age > 1", count: 200).joined(separator: " AND "))
            #expect(try context.count(for: long) == 0)
            #expect(schema.fetches.count == known)
        }
    }
}

/// A person who counts how often the name is read.
private final class CountingPerson: ManagedObject {
    static let reads = Atomic(0)
    override class var entityName: String { "CountingPerson" }
    override class var slotNames: [String] { ["name"] }

    var name: String? {
        get {
            Self.reads.add(1, ordering: .relaxed)
            return self[slot: 0]
        }
        set { self[slot: 0] = newValue }
    }
}
