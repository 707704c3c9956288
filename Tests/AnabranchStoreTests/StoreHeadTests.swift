import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// What a write transaction takes over from the one before, without reading the file.
@Suite struct `The head of a store` {
    let scenario: StoreScenario
    let store: Store

    init() throws {
        scenario = try StoreScenario()
        store = try scenario.open("a")
    }

    private func changeSets(of store: Store) throws -> [ChangeSet] {
        try store.read { try $0.changeSets(after: 0, limit: 10_000) }.map(\.changeSet)
    }

    @Test func `goes on after a save that failed`() throws {
        try store.insertPerson("Anna")
        let stale = try store.insertPerson("Ben")
        for _ in 0..<2 {
            #expect(throws: StoreError.self) {
                try store.update(
                    "Person", stale, ["name": .string("Never")], version: RowVersion(1))
            }
        }
        try store.insertPerson("Cleo")
        let sets = try changeSets(of: store)
        #expect(sets.map(\.dot.sequence) == [1, 2, 3])
        #expect(try store.read { try $0.lastPosition() } == RowVersion(3))
    }

    @Test func `is read again after saves of another opening and changes that it has pulled`()
        throws
    {
        let second = try scenario.open("a")
        let remote = try scenario.open("b")
        for turn in 0..<30 {
            switch turn % 3 {
            case 0: try store.insertPerson("a\(turn)")
            case 1: try second.insertPerson("b\(turn)")
            default:
                try remote.insertPerson("c\(turn)")
                try scenario.zone.sync(remote)
                try scenario.zone.sync(turn % 2 == 0 ? store : second)
            }
        }
        try scenario.zone.sync(store)
        try scenario.zone.sync(remote)
        let own = try changeSets(of: second).filter { $0.dot.replica == (try? store.replica) }
        #expect(own.map(\.dot.sequence) == Array(1...20))
        #expect(zip(own, own.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        #expect(try store.canonicalHash() == remote.canonicalHash())
        #expect(try second.check().isValid)
    }

    @Test func `has the state of a sync that the file has, after changes of any opening`() throws {
        let second = try scenario.open("a")
        let remote = try scenario.open("b")
        func expectSame() throws {
            for store in [store, second] {
                let (known, stored) = (try store.syncState(), try store.readSyncState())
                #expect(known.cursor == stored.cursor && known.hasPending == stored.hasPending)
                #expect(known.last?.sequence == stored.last?.sequence)
                #expect(known.epochs == stored.epochs && known.epochsAhead == stored.epochsAhead)
                #expect(known.hasRecordsToRepair == stored.hasRecordsToRepair)
            }
        }
        let record = try store.recordID(of: store.insertPerson("Anna"))
        try expectSame()
        try scenario.zone.sync(second)
        try expectSame()
        #expect(try !store.syncState().hasPending)
        try second.queueForRepair([#require(record)])
        #expect(try store.syncState().hasRecordsToRepair)
        #expect(try store.syncStateAsLeft().hasRecordsToRepair)
        try expectSame()
        try remote.insertPerson("Ben")
        try scenario.zone.sync(remote)
        try scenario.zone.sync(store)
        try expectSame()
        try second.insertPerson("Cleo")
        #expect(try !store.syncStateAsLeft().hasPending, "another opening has saved")
        #expect(try store.syncState().hasPending)
        try second.recordEpochs([EpochID(high: 7, low: 7)])
        try expectSame()
    }
}
