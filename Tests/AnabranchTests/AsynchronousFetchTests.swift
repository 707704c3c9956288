import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import Synchronization
import Testing

/// Tests of fetches that do not block their caller.
@MainActor @Suite struct `Asynchronous fetches` {
    private let graph: Graph
    private let context: ManagedObjectContext

    init() throws {
        graph = try Graph()
        try graph.inContext { context throws in
            for age in 0..<100 { try context.person("p\(age)", age: Int64(age)) }
            try context.save()
        }
        // The context has nothing to merge while it fetches.
        context = graph.container.viewContext
    }

    private func young(_ age: Int64) throws -> FetchRequest<Person> {
        try FetchRequest<Person>(where: \.age < age, sortedBy: \.age)
    }

    @Test func `they find what a fetch finds, with unsaved changes`() async throws {
        let new = try context.person("new", age: 3)
        let gone = try #require(try context.fetch(young(1)).first)
        context.delete(gone)
        let found = try await context.fetchInBackground(young(5))
        #expect(found.map(\.age) == [1, 2, 3, 3, 4] && found.contains(new))
        #expect(try context.fetch(young(5)) == found)
        var window = try young(100)
        (window.fetchLimit, window.fetchOffset) = (3, 2)
        #expect(try await context.fetchInBackground(window).map(\.age) == [3, 3, 4])
        window.includesPendingChanges = false
        #expect(try await context.fetchInBackground(window).map(\.age) == [2, 3, 4])
    }

    /// Compiles only if no asynchronous form has the name of one that returns at once.
    @Test func `in an asynchronous function a fetch without await reads at once`() async throws {
        struct Years: Decodable { var age: Int }
        await Task.yield()
        let request = try young(2)
        #expect(try context.fetch(request).map(\.age) == [0, 1])
        #expect(try context.objectIDs(for: request).count == 2)
        #expect(try context.count(for: request) == 2)
        var rows = RowRequest<Person>()
        rows.propertiesToFetch = ["age"]
        rows.predicate = try FetchPredicate("age < 2")
        rows.sorts = [FetchSort("age")]
        #expect(try context.fetch(rows).count == 2)
        #expect(try context.fetch(rows, as: Years.self).map(\.age) == [0, 1])
        // It shows an unsaved change that was made just before it.
        try context.person("new", age: -1)
        #expect(try context.fetch(request).map(\.age) == [-1, 0, 1])
        #expect(try await context.fetchInBackground(request).map(\.age) == [-1, 0, 1])
    }

    @Test func `relationships and realised objects come as asked for`() async throws {
        var request = try young(3)
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = ["reports"]
        let found = try await context.fetchInBackground(request)
        let before = graph.readStatements
        #expect(found.allSatisfy { !$0.isFault && $0.reports.isEmpty })
        #expect(graph.readStatements == before)
        request.includesPropertyValues = false
        #expect(try await context.fetchInBackground(request).count == 3)
    }

    @Test func `rows and objects without values are read off the main actor too`() async throws {
        let counts = Mutex<[Int]>([])
        var rows = RowRequest<Person>()
        rows.propertiesToFetch = ["age"]
        rows.sorts = [FetchSort("age")]
        let found = try await context.fetchInBackground(rows) { count in
            counts.withLock { $0.append(count) }
        }
        #expect(found.count == 100 && found[3]["age"] == Int64(3))
        #expect(counts.withLock { $0 } == [100])
        struct Age: Decodable { var age: Int }
        #expect(
            try await context.fetchInBackground(rows, as: Age.self).map(\.age) == Array(0..<100))
        var faults = try young(50)
        faults.includesPropertyValues = false
        let before = graph.readStatements
        let people = try await context.fetchInBackground(faults) { count in
            counts.withLock { $0.append(count) }
        }
        #expect(people.count == 50 && people.allSatisfy(\.isFault))
        #expect(graph.readStatements == before + 1)
        #expect(counts.withLock { $0 } == [100, 50])
        people[7].age = 1000
        #expect(try await context.fetchInBackground(faults).count == 49)
        let task = Task { @MainActor in try await context.fetchInBackground(rows) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the main actor is free meanwhile, and no row is older than the context`()
        async throws
    {
        let request = try young(1000)
        for round in 0..<20 {
            async let saved: Void = graph.context().perform { other in
                for person in try other.people("age >= 0") { person.lastName = "\(round)" }
                try other.save()
            }
            let found = try await context.fetchInBackground(request)
            try await saved
            #expect(found.count == 100)
        }
        context.automaticallyMergesChangesFromParent = true
        let id = try #require(try await context.fetchInBackground(young(1)).first).objectID
        context.reset()
        let found = Task { try await context.fetchInBackground(request).first?.lastName }
        let person = try #require(context.object(with: id) as? Person)
        person.lastName = "mine"
        try context.save()
        #expect(try await found.value == "mine")
    }

    @Test func `progress is told, up to the number of rows`() async throws {
        let counts = Mutex<[Int]>([])
        _ = try await context.fetchInBackground(young(1000)) { count in
            counts.withLock { $0.append(count) }
        }
        #expect(counts.withLock { $0 } == [100])
    }

    @Test func `a cancelled fetch stops SQLite`() async throws {
        // Everybody is a friend of everybody, so all chains of five friends take hours.
        try graph.inContext { context throws in
            let people = try context.people()
            for person in people { for friend in people { person.friends.insert(friend) } }
            try context.save()
        }
        var request = FetchRequest<Person>()
        request.predicate = try FetchPredicate(
            "ANY friends.friends.friends.friends.friends.age > 100")
        let started = ContinuousClock.now
        let task = Task { @MainActor in try await context.fetchInBackground(request).count }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Far less than hours, also while other tests keep the main actor busy.
        #expect(ContinuousClock.now - started < .seconds(600))
        #expect(try await context.fetchInBackground(young(3)).count == 3)
    }

    @Test func `batches come in order, without what is deleted meanwhile`() async throws {
        var ages: [[Int64]] = []
        for try await people in try context.batches(of: young(25), size: 10) {
            ages.append(people.map(\.age))
            if ages.count == 1 {
                try graph.inContext { other throws in
                    for person in try other.people("age BETWEEN {10, 18}") { other.delete(person) }
                    try other.save()
                }
            }
        }
        #expect(ages == [Array(0..<10), [19], Array(20..<25)])
        try context.person("new", age: -1)
        var batches = try context.batches(of: young(5), size: 2).makeAsyncIterator()
        #expect(try await batches.next()?.map(\.age) == [-1, 0])
    }

    @Test func `an error of the request is thrown`() async throws {
        var request = FetchRequest<Person>()
        request.predicate = try FetchPredicate("nothing == 1")
        await #expect(throws: FetchPredicateError.self) {
            _ = try await context.fetchInBackground(request)
        }
        await #expect(throws: FetchPredicateError.self) {
            for try await _ in context.batches(of: request) {}
        }
    }

    @Test func `a context with a parent shows its parent's changes`() async throws {
        let parent = graph.context()
        try parent.performAndWait { _ = try $0.person("new", age: -1) }
        let count = try await BackgroundContext(parent: parent).perform { context in
            try context.fetch(FetchRequest<Person>(where: \.age < 0)).count
        }
        #expect(count == 1)
    }
}
