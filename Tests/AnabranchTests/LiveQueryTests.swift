import Anabranch
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of results that follow the changes of their context.
@MainActor @Suite struct `Live queries` {
    private let graph: Graph
    private let log: StatementLog?
    private let context: ManagedObjectContext

    init() throws {
        // What is read for other processes is no part of the statements that are counted.
        (graph, log) = try Graph.logging { $0.followsOtherProcesses = false }
        context = graph.container.viewContext
        context.automaticallyMergesChangesFromParent = true
        for (name, age) in [("ada", 40), ("ben", 20), ("cy", 30)] as [(String, Int64)] {
            try context.person(name, age: age)
        }
        try context.save()
    }

    private func names(_ people: FetchedObjects<Person>?) -> [String]? {
        people?.compactMap(\.firstName)
    }

    @Test func `the present result comes first, then one after each change`() async throws {
        var results = try context.values(
            of: FetchRequest<Person>(where: \.age >= 25, sortedBy: \.age)
        ).makeAsyncIterator()
        #expect(names(try await results.next()) == ["cy", "ada"])
        let dan = try context.person("dan", age: 35)
        #expect(names(try await results.next()) == ["cy", "dan", "ada"])
        dan.age = 50
        #expect(names(try await results.next()) == ["cy", "ada", "dan"])
        context.delete(dan)
        #expect(names(try await results.next()) == ["cy", "ada"])
    }

    @Test func `saves of other contexts count, and a slow reader gets the last result`()
        async throws
    {
        var results = try context.values(
            of: FetchRequest<Person>(where: \.age >= 25, sortedBy: \.age)
        ).makeAsyncIterator()
        _ = try await results.next()
        for age in [26, 27, 28] as [Int64] {
            try await graph.context().perform { other in
                try other.person("x\(age)", age: age)
                try other.save()
            }
        }
        var latest = names(try await results.next())
        while latest?.count ?? 5 < 5 { latest = names(try await results.next()) }
        #expect(latest == ["x26", "x27", "x28", "cy", "ada"])
    }

    @Test func `a request inside the predicate is followed too`() async throws {
        let grown = try FetchRequest<Person>(where: \.age > 35)
        var request = FetchRequest<Person>()
        request.predicate = try FetchPredicate(
            "FETCH(%@, nil, YES) > 1 AND age < 35", grown)
        request.sorts = [FetchSort("age")]
        var results = context.values(of: request).makeAsyncIterator()
        var counts = context.counts(of: request).makeAsyncIterator()
        #expect(names(try await results.next()) == [])
        #expect(try await counts.next() == 0)
        let dan = try context.person("dan", age: 36)
        #expect(names(try await results.next()) == ["ben", "cy"])
        #expect(try await counts.next() == 2)
        try await graph.context().perform { other in
            let people = try other.people("firstName == 'ada'")
            for person in people { person.age = 10 }
            try other.save()
        }
        #expect(names(try await results.next()) == [])
        #expect(try await counts.next() == 0)
        dan.age = 37
        try context.person("eve", age: 50)
        #expect(names(try await results.next()) == ["ada", "ben", "cy"])
    }

    @Test func `equal requests for rows share one read`() async throws {
        var request = RowRequest<Person>()
        request.propertiesToFetch = [.maximum("age", as: "oldest")]
        var first = context.values(of: request).makeAsyncIterator()
        var second = context.values(of: request).makeAsyncIterator()
        let before = graph.readStatements
        let (one, other) = (try await first.next(), try await second.next())
        #expect(one == other && one?.first?["oldest"] == Int64(40))
        #expect(graph.readStatements == before + 1)
        try context.person("dan", age: 60)
        try context.save()
        #expect(try await first.next()?.first?["oldest"] == Int64(60))
        #expect(try await second.next()?.first?["oldest"] == Int64(60))
        // Requests that differ in what unsaved changes mean to them are not equal.
        request.includesPendingChanges = true
        var strict = context.values(of: request).makeAsyncIterator()
        #expect(try await strict.next()?.first?["oldest"] == Int64(60))
        try context.person("eve", age: 70)
        try await graph.context().perform { other in
            try other.person("fay", age: 80)
            try other.save()
        }
        #expect(try await first.next()?.first?["oldest"] == Int64(80))
        await #expect(throws: PropertyError.self) { try await strict.next() }
    }

    @Test func `equal requests share one result, and one read`() async throws {
        let request = try FetchRequest<Person>(where: \.age >= 25, sortedBy: \.age)
        var first = context.values(of: request).makeAsyncIterator()
        _ = try await first.next()
        let before = graph.readStatements
        _ = log?.take()
        var second = context.values(of: request).makeAsyncIterator()
        var count = context.counts(of: request).makeAsyncIterator()
        #expect(names(try await second.next()) == ["cy", "ada"])
        #expect(try await count.next() == 2)
        #expect(graph.readStatements == before, "\(log?.take().map(\.sql) ?? [])")
        try context.person("dan", age: 35)
        #expect(names(try await first.next()) == ["cy", "dan", "ada"])
        #expect(names(try await second.next()) == ["cy", "dan", "ada"])
        #expect(try await count.next() == 3)
        #expect(graph.readStatements == before, "\(log?.take().map(\.sql) ?? [])")
    }

    @Test func `a count and a computed value come again only if they differ`() async throws {
        var count = context.counts(of: FetchRequest<Person>()).makeAsyncIterator()
        var sum = context.values(of: .sum("age"), over: FetchRequest<Person>())
            .makeAsyncIterator()
        #expect(try await count.next() == 3)
        #expect(try await sum.next() == .integer(90))
        let ada = try #require(try context.people("firstName == 'ada'").first)
        ada.lastName = "Lovelace"
        context.processPendingChanges()
        ada.age = 41
        context.processPendingChanges()
        #expect(try await sum.next() == .integer(91))
        context.delete(ada)
        #expect(try await count.next() == 2)
        #expect(try await sum.next() == .integer(50))
    }

    @Test(arguments: [
        "count(SELF)", "count(salary)", "sum(age)", "average(age)", "min(age)", "max(age)",
        "median(age)", "mode(age)", "stddev(age)", "sum(salary)", "average(salary)",
        "min(salary)", "max(firstName)", "min(boss.age)", "count(boss)",
    ])
    func `a computed value follows every change as if it were computed anew`(
        _ format: String
    ) async throws {
        let column = try FetchColumn(format: format, as: "value")
        var values = context.values(of: column, over: FetchRequest<Person>()).makeAsyncIterator()
        var rows = RowRequest<Person>()
        rows.propertiesToFetch = [column]
        var random = SeededGenerator(seed: 32)
        var shown = try await values.next()
        for _ in 0..<40 {
            let people = try context.people()
            let chosen = try #require(people.randomElement(using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try context.person("n", age: .random(in: 0..<9, using: &random))
            case 1 where people.count > 3: context.delete(chosen)
            case 2: chosen.salary = Decimal(Int.random(in: 0..<9, using: &random)) / 4
            case 3: chosen.boss = people.randomElement(using: &random)
            default: chosen.age = .random(in: 0..<9, using: &random)
            }
            try context.save()
            let expected = try #require(try context.fetch(rows).first).value(forKey: "value")
            if expected != shown { shown = try await values.next() }
            #expect(shown == expected)
        }
    }

    @Test func `rows follow what is saved`() async throws {
        var request = RowRequest<Person>()
        request.propertiesToFetch = ["boss.firstName", .count()]
        request.propertiesToGroupBy = ["boss.firstName"]
        request.sorts = [FetchSort("count")]
        var rows = context.values(of: request).makeAsyncIterator()
        #expect(try await rows.next()?.map(\.plain) == ["boss.firstName: null, count: 3"])
        let people = try context.people()
        people[1].boss = people[0]
        try context.save()
        #expect(
            try await rows.next()?.map(\.plain)
                == ["boss.firstName: ada, count: 1", "boss.firstName: null, count: 2"])
        try await graph.context().perform { other in
            try #require(try other.people("firstName == 'ada'").first).firstName = "eve"
            try other.save()
        }
        #expect(
            try await rows.next()?.map(\.plain)
                == ["boss.firstName: eve, count: 1", "boss.firstName: null, count: 2"])
    }

    /// Uses all readers of a store until the returned function is called, or for two minutes. That
    /// function returns false if they were free before.
    private func useReaders(of store: Store) -> () -> Bool {
        let (isUsed, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let readers = DispatchGroup()
        let wasUsed = Atomic(true)
        let count = StoreOptions().readerCount
        for _ in 0..<count {
            DispatchQueue.global().async(group: readers) {
                try? store.read { _ in
                    isUsed.signal()
                    guard isFree.wait(timeout: .now() + 120) != .success else { return }
                    wasUsed.store(false, ordering: .relaxed)
                }
            }
        }
        for _ in 0..<count { isUsed.wait() }
        return {
            for _ in 0..<count { isFree.signal() }
            readers.wait()
            return wasUsed.load(ordering: .relaxed)
        }
    }

    @Test func `rows are read on another thread`() async throws {
        let freeReaders = useReaders(of: graph.coordinator.store)
        var request = RowRequest<Person>()
        request.propertiesToFetch = ["age"]
        let first = Task { [context, request] in
            for try await rows in context.values(of: request) { return rows.count }
            return 0
        }
        // The main actor goes on while the rows wait for a reader.
        for _ in 0..<3 { await Task.yield() }
        #expect(freeReaders())
        #expect(try await first.value == 3)
    }

    @Test func `rows are fetched again only after a merge that concerns them`() async throws {
        var request = RowRequest<Person>()
        request.propertiesToFetch = [.sum("age", as: "years"), .count("boss", as: "bossed")]
        request.predicate = try FetchPredicate("boss.lastName != 'nobody' OR boss == nil")
        var rows = context.values(of: request).makeAsyncIterator()
        #expect(try await rows.next()?.map(\.plain) == ["years: 90, bossed: 0"])
        func fetches(after change: @Sendable @escaping ([Person]) -> Void) async throws -> Int {
            _ = log?.take()
            try await graph.context().perform { other in
                change(try other.people())
                try other.save()
            }
            return try #require(log).take().filter { $0.sql.contains("sum(") }.count
        }
        #expect(try await fetches { $0[0].firstName = "zoe" } == 0)
        _ = try await fetches { $0[0].boss = $0[1] }
        #expect(try await rows.next()?.map(\.plain) == ["years: 90, bossed: 1"])
        _ = try await fetches { $0[1].lastName = "nobody" }
        #expect(try await rows.next()?.map(\.plain) == ["years: 70, bossed: 0"])
        _ = try await fetches { $0[2].age += 1 }
        #expect(try await rows.next()?.map(\.plain) == ["years: 71, bossed: 0"])
    }

    @Test func `a sequence ends with its task, also while it waits`() async throws {
        let task = Task { @MainActor in
            var count = 0
            for try await _ in context.values(of: FetchRequest<Person>()) { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(try await task.value <= 1)
    }

    @Test func `after a reset the result is fetched again`() async throws {
        var results = try context.values(of: FetchRequest<Person>(sortedBy: \.age))
            .makeAsyncIterator()
        var sum = context.values(of: .sum("age"), over: FetchRequest<Person>())
            .makeAsyncIterator()
        _ = try await (results.next(), sum.next())
        context.reset()
        #expect(names(try await results.next()) == ["ben", "cy", "ada"])
        try context.person("dan", age: 5)
        #expect(names(try await results.next()) == ["dan", "ben", "cy", "ada"])
        #expect(try await sum.next() == .integer(95))
    }

    @Test func `what can't be followed is refused at the first step`() async throws {
        var wrong = FetchRequest<Person>()
        wrong.predicate = try FetchPredicate("nothing == 1")
        await #expect(throws: FetchPredicateError.self) {
            var results = context.values(of: wrong).makeAsyncIterator()
            _ = try await results.next()
        }
        var limited = FetchRequest<Person>()
        limited.fetchLimit = 1
        for (column, request) in [
            (FetchColumn.sum("age"), limited), ("age", FetchRequest<Person>()),
            (.sum("firstName"), FetchRequest<Person>()),
        ] {
            await #expect(throws: FetchPredicateError.self) {
                var values = context.values(of: column, over: request).makeAsyncIterator()
                _ = try await values.next()
            }
        }
    }
}
