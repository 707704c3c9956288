import TestSupport
import Testing

@testable import AnabranchStore

@Suite struct `Following other openings of a file` {
    @Test func `what this opening has committed is left out`() throws {
        let scenario = try StoreScenario()
        let (store, other) = (try scenario.open("a"), try scenario.open("a"))
        let start = try store.historyProgress()
        let own = try store.insertPerson("Anna")
        let foreign = try other.insertPerson("Bob", author: "bob")
        try store.insertPerson("Cleo")
        let changes = try store.foreignChanges(after: start)
        #expect(changes.records.entities.flatMap(\.inserted) == [foreign])
        #expect(changes.author == "bob" && changes.isLast && changes.records.extent == .complete)
        #expect(try changes.progress == store.historyProgress())
        #expect(try store.foreignChanges(after: changes.progress).records.isEmpty)
        let others = try other.foreignChanges(after: start)
        #expect(others.records.entities.flatMap(\.inserted).contains(own))
    }

    @Test func `a long pause is read in pages, each of one author`() throws {
        let scenario = try StoreScenario()
        let (store, other) = (try scenario.open("a"), try scenario.open("a"))
        var progress = try store.historyProgress()
        for number in 0..<700 {
            try other.insertPerson("p\(number)", author: number < 300 ? "x" : "y")
        }
        var pages: [Int] = []
        while true {
            let changes = try store.foreignChanges(after: progress, limit: 100)
            pages.append(changes.records.entities.flatMap(\.inserted).count)
            progress = changes.progress
            if changes.isLast { break }
        }
        #expect(pages.reduce(0, +) == 700)
        #expect(pages.allSatisfy { $0 <= 100 } && pages.count == 7)
    }

    @Test func `a history that was trimmed meanwhile has an unknown extent`() throws {
        let scenario = try StoreScenario()
        let (store, other) = (try scenario.open("a"), try scenario.open("a"))
        try other.insertPerson("Anna")
        let start = try store.historyProgress()
        let last = try other.insertPerson("Bob")
        #expect(last != 0)
        try other.write { transaction in
            let position = try store.historyProgress().position
            try TrimmedLog(connection: transaction.connection).raise(to: position)
        }
        let changes = try store.foreignChanges(after: start)
        #expect(changes.records.extent == .unknown && !changes.records.isEmpty)
        #expect(try store.foreignChanges(after: changes.progress).records.isEmpty)
    }

    @Test func `a transaction that was not committed is not taken for an own save`() throws {
        let scenario = try StoreScenario()
        let (store, other) = (try scenario.open("a"), try scenario.open("a"))
        let start = try store.historyProgress()
        var failed = HistoryWrites()
        failed.add(position: start.position + 1)
        store.ownWrites.add(failed)
        store.ownWrites.remove(failed)
        let id = try other.insertPerson("Anna")
        let changes = try store.foreignChanges(after: start)
        #expect(changes.records.extent == .unknown)
        let again = try store.foreignChanges(after: start)
        #expect(again.records.entities.flatMap(\.inserted) == [id])
    }

    @Test(arguments: TestLength.seeds(20))
    func `ranges of numbers are the set of these numbers`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (ranges, numbers) = (NumberRanges(), Set<Int64>())
        for _ in 0..<200 {
            let first = Int64.random(in: 0..<60, using: &random)
            let range = first...first + Int64.random(in: 0..<6, using: &random)
            if Bool.random(using: &random) {
                ranges.insert(range)
                numbers.formUnion(range)
            } else {
                ranges.remove(range)
                numbers.subtract(range)
            }
            #expect(Set(ranges.ranges.flatMap { Array($0) }) == numbers)
            #expect(
                zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy {
                    $0.upperBound + 1 < $1.lowerBound
                })
            #expect(ranges.contains(range) == numbers.isSuperset(of: range))
        }
    }
}
