import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `The clock of a store` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    private func timestamps(_ store: Store) throws -> [HybridTimestamp] {
        try store.read { try $0.changeSets(after: 0, limit: 1000) }.map(\.changeSet.timestamp)
    }

    @Test func `only goes forward when the wall clock stands still or goes back`() throws {
        var store = try scenario.open("a")
        for turn in 0..<60 {
            if turn % 3 == 1 { scenario.clock.milliseconds -= 3_600_000 }
            if turn == 30 { scenario.clock.milliseconds = 0 }
            try store.insertPerson("P\(turn)")
            if turn % 10 == 0 {
                store.close()
                store = try scenario.open("a")
            }
        }
        let times = try timestamps(store)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.last?.wallMilliseconds == times.first?.wallMilliseconds)
    }

    @Test func `carries a full counter into the milliseconds`() throws {
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        let full = HybridTimestamp(wallMilliseconds: 1_700_000_000_000, counter: .max)
        store.close()
        try scenario.sql("a", "UPDATE ab_state SET clock = \(full.rawValue)")
        let again = try scenario.open("a")
        try again.insertPerson("Bob")
        let last = try #require(try timestamps(again).last)
        #expect(last.wallMilliseconds == 1_700_000_000_001)
        #expect(last.counter == 0)
    }

    /// The zone holds the greatest timestamp, after which there is none.
    @Test func `at its end refuses a save and keeps what there is`() throws {
        let store = try scenario.open("a")
        try store.insertPerson("Zoe")
        try scenario.zone.sync(store)
        try store.insertPerson("Anna")
        let end = Limits.greatestTimestamp
        try scenario.sql("a", "UPDATE ab_changeset SET hlc = \(end) WHERE seq = 1")
        try scenario.sql("a", "UPDATE ab_state SET clock = \(end)")
        #expect(storeError { try store.insertPerson("Bob") }?.code == .exhausted)
        #expect(try store.pendingSaves().count == 1)
        store.close()
        let again = try scenario.open("a")
        #expect(try again.canonicalHash().bytes.count == 32, "it can be read")
        #expect(storeError { try again.insertPerson("Bob") }?.code == .exhausted)
    }

    @Test func `numbers at their end refuse a reservation`() throws {
        let store = try scenario.open("a")
        try scenario.sql("a", "UPDATE ab_state SET next_number = \(Limits.greatestRecordNumber)")
        #expect(try store.reserveNumbers(1).lowerBound.number == Limits.greatestRecordNumber)
        #expect(storeError { _ = try store.reserveNumbers(1) }?.code == .exhausted)
        #expect(storeError { _ = try store.reserveNumbers(.max) }?.code == .exhausted)
        try scenario.sql("a", "UPDATE ab_state SET head_seen = \(Limits.greatestSequence)")
        var request = SaveRequest()
        request.deletes = [
            .init(
                entity: scenario.person,
                rows: [(id: 1 as LocalID, version: RowVersion(1))])
        ]
        #expect(storeError { _ = try store.save(request) }?.code == .exhausted)
    }

    /// Two writes of one property have equal times: the greater replica's write wins on every
    /// store.
    @Test(arguments: [(1, 2), (2, 1)] as [(UInt64, UInt64)])
    func `breaks a tie by the bytes of the replica`(high: UInt64, other: UInt64) throws {
        let a = try scenario.open("a", replica: ReplicaID(high: high, low: 0))
        let b = try scenario.open("b", replica: ReplicaID(high: other, low: 0))
        let anna = try a.insertPerson("Anna")
        for store in [a, b] { try scenario.zone.sync(store) }
        let there = try b.id(of: anna, on: a)
        scenario.clock.milliseconds += 1000
        try a.set("name", .string("zzz"), of: anna)
        try b.set("name", .string("aaa"), of: there)
        let sets = try [a, b].map { try #require(try $0.pending(byteLimit: .max).first?.changeSet) }
        #expect(sets[0].timestamp == sets[1].timestamp)
        for _ in 0..<2 { for store in [b, a] { try scenario.zone.sync(store) } }
        let expected: PropertyValue = .string(high > other ? "zzz" : "aaa")
        #expect(try a.value("name", of: anna) == expected)
        #expect(try b.value("name", of: there) == expected)
    }
}
