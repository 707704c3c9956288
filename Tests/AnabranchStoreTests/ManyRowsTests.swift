import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of updates of more rows than one statement writes.
@Suite struct `Many rows` {
    let scenario: StoreScenario
    let a: Store
    let b: Store
    /// The records, enough for three statements and a few more rows.
    let ids: [LocalID]

    init() throws {
        scenario = try StoreScenario()
        a = try scenario.open("a")
        b = try scenario.open("b")
        ids = try a.insertPeople(53)
        for store in [a, b] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 1000
    }

    private func request(
        _ store: Store, _ ids: [LocalID], _ slots: [String: (Int) -> PropertyValue]
    ) throws -> SaveRequest {
        let places = try slots.map { name, value in
            (try #require(scenario.person.slotIndex(named: name)), value)
        }
        let rows = try ids.enumerated().map { number, id in
            let row = try #require(try store.row("Person", id))
            var values = row.slots
            for (slot, value) in places { values[slot] = value(number) }
            return (row.id, row.version, values)
        }
        var request = SaveRequest()
        request.updates = [
            .init(entity: scenario.person, slots: places.map(\.0).sorted(), rows: rows)
        ]
        return request
    }

    private func expectEqual() throws {
        let reference = try scenario.zone.reference().canonicalHash
        #expect(try a.canonicalHash() == reference)
        #expect(try b.canonicalHash() == reference)
    }

    /// The rows are runs of neighbours, in any order, with gaps, and with records that the other
    /// store has deleted.
    @Test(arguments: TestLength.seeds(32))
    func `come in any order`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var runs: [[LocalID]] = []
        var rest = ids.filter { _ in !generator.oneIn(8) }[...]
        while !rest.isEmpty {
            let run = rest.prefix(Int.random(in: 1...12, using: &generator))
            runs.append(generator.oneIn(4) ? run.reversed() : Array(run))
            rest = rest.dropFirst(run.count)
        }
        let order = runs.shuffled(using: &generator).flatMap { $0 }
        let gone = Set(order.filter { _ in generator.oneIn(10) })
        for id in gone { try b.delete(try b.id(of: id, on: a)) }
        _ = try a.save(try request(a, order, ["age": { .integer(Int64(1000 + $0)) }]))
        for store in [a, b, a] { try scenario.zone.sync(store) }
        for (number, id) in order.enumerated() where !gone.contains(id) {
            let age = try b.value("age", of: try b.id(of: id, on: a))
            #expect(age == .integer(Int64(1000 + number)))
        }
        try expectEqual()
    }

    @Test func `are saved together even if their versions differ`() throws {
        // There are runs of one version, of 20 rows, of one row, and of the rest.
        for id in ids[20...20] { try a.set("age", .integer(-1), of: id) }
        let boss = ids[0]
        _ = try a.save(
            try request(
                a, ids, ["age": { .integer(Int64($0)) }, "boss": { _ in .integer(boss) }]))
        for (number, id) in ids.enumerated() {
            #expect(try a.value("age", of: id) == .integer(Int64(number)))
            #expect(try a.value("boss", of: id) == .integer(boss))
        }
        for store in [a, b] { try scenario.zone.sync(store) }
        try expectEqual()
    }

    @Test func `a save with some stale rows writes none, and deleted rows stay deleted`() throws {
        let save = try request(a, ids, ["age": { .integer(Int64($0) + 100) }])
        try a.delete(ids[3])
        try a.set("age", .integer(-1), of: ids[18])
        try a.delete(ids[50])
        let hash = try a.canonicalHash()
        let error = storeError { _ = try a.save(save) }
        #expect(error?.code == .mergeConflict)
        #expect(error?.records.sorted() == [ids[3], ids[18], ids[50]].sorted())
        #expect(try a.canonicalHash() == hash)
        for gone in [ids[3], ids[50]] { #expect(try a.row("Person", gone) == nil) }
        #expect(try scenario.sql("a", "SELECT count(*) FROM Person") == [[.integer(51)]])
    }

    @Test func `merge as few do, each loss in the journal`() throws {
        let there = try ids.map { try b.id(of: $0, on: a) }
        _ = try a.save(
            try request(a, ids, ["age": { .integer(Int64($0)) }, "name": { .string("A\($0)") }]))
        scenario.clock.milliseconds += 1
        // Some rows are deleted, some win in one column and not in the other.
        try b.delete(there[7])
        try b.delete(there[40])
        let left = there.filter { $0 != there[7] && $0 != there[40] }
        _ = try b.save(try request(b, left, ["age": { .integer(Int64($0) + 1000) }]))
        for store in [a, b, a] { try scenario.zone.sync(store) }
        try expectEqual()
        for store in [a, b] {
            let lost = try store.conflicts().filter { $0.kind == .concurrentWrite }
            #expect(lost.count == 51)
            #expect(Set(lost.map(\.value)).count == 51)
            #expect(Set(lost.compactMap(\.winningValue)).count == 51)
        }
    }
}
