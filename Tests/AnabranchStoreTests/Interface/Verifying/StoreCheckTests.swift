import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of the check of a store's file.
@Suite struct StoreCheckTests {
    private static func sum(_ reference: ReferenceMerge) -> StateChecksum {
        reference.state.values.reduce(.zero) { $0 &+ StateChecksum(of: $1) }
    }

    /// The histories use every merge rule, and the model lacks a part of them.
    @Test(arguments: TestLength.seeds(40))
    func `a checksum is that of the reference merge, and the state what the log says`(
        seed: UInt64
    ) throws {
        let history = try RandomHistory(seed: seed, rules: .all)
        var reference = ReferenceMerge()
        for set in history.changeSets { try reference.apply(set) }
        let model = try `Stores and the reference merge`.modelOfAllRules {
            seed.isMultiple(of: 2) || $0 < "n"
        }
        let scenario = try StoreScenario(model: model)
        let store = try scenario.open("a")
        for set in history.changeSets { scenario.zone.append(set) }
        try scenario.zone.pull(into: store)
        #expect(try store.checksum() == Self.sum(reference))
        let check = try store.check()
        #expect(check.isValid && check.differences == [])
        let cursor = try #require(try store.syncState().cursor)
        let place = CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position)
        let entries = reference.state.values.sorted { $0.id < $1.id }
            .map { RangeSummary.Entry(record: $0.id, checksum: StateChecksum(of: $0)) }
        #expect(try store.compare([(.all, .records(entries))], at: place).isEqual)
        let left = try store.compare([(.all, .records(Array(entries.dropFirst())))], at: place)
        #expect(left.records.map(\.record) == entries.prefix(1).map(\.record))
    }

    @Test func `a store is compared only if it holds exactly the log up to the position`() throws {
        let scenario = try StoreScenario()
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        let cursor = try #require(try a.syncState().cursor)
        let place = CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position)
        #expect(try a.compare([], at: place).isEqual)
        let later = CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position + 1)
        #expect(storeError { _ = try a.compare([], at: later) }?.code == .cursorMoved)
        try a.insertPerson("Bob")
        #expect(storeError { _ = try a.compare([], at: place) }?.code == .cursorMoved)
        try scenario.zone.sync(a)
        let there = try #require(try a.syncState().cursor)
        let now = CausalContext.Prefix(epoch: there.epoch, position: there.position)
        #expect(try a.compare([], at: now).isEqual)
        try a.queueForRepair([RecordID(replica: a.replica, number: 1)])
        #expect(storeError { _ = try a.compare([], at: now) }?.code == .cursorMoved)
    }

    @Test(arguments: [
        "UPDATE Person SET name = 'Anne' WHERE name = 'Anna'",
        "DELETE FROM Person WHERE name = 'Anna'",
        "UPDATE Person SET ab_writes = x'FFFFFF' WHERE name = 'Anna'",
    ])
    func `a record that differs from the log is reported`(sql: String) throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        try store.insertPerson("Anna")
        try store.insertPerson("Bob")
        #expect(try store.check().isValid)
        let connection = try Connection(path: store.path)
        try connection.execute(sql)
        #expect(connection.changes == 1)
        connection.close()
        let check = try store.check()
        #expect(check.differences?.map(\.record.number) == [1])
        #expect(check.damage.isEmpty && check.logFaults.isEmpty && !check.isValid)
    }

    @Test(arguments: [
        "UPDATE ab_changeset SET payload = payload || x'00' WHERE position = 2",
        "UPDATE ab_changeset SET origin = zeroblob(32) WHERE position = 2",
        "UPDATE ab_changeset SET hlc = hlc + 1 WHERE position = 2",
        "UPDATE ab_changeset SET previous_origin = zeroblob(32) WHERE position = 3",
    ])
    func `a changed entry of the log is reported`(sql: String) throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        for name in ["Anna", "Bob", "Cyd"] { try store.insertPerson(name) }
        let connection = try Connection(path: store.path)
        try connection.execute(sql)
        #expect(connection.changes == 1)
        connection.close()
        let check = try store.check()
        #expect(!check.logFaults.isEmpty && check.differences == nil && !check.isValid)
    }
}
