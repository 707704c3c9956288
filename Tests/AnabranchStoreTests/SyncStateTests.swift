import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `What a store reports to a sync` {
    let scenario: StoreScenario
    let a: Store
    let b: Store

    init() throws {
        scenario = try StoreScenario()
        a = try scenario.open("a")
        b = try scenario.open("b")
    }

    @Test func `is empty before the first save`() throws {
        let state = try a.syncState()
        #expect(state.cursor == nil)
        #expect(state.last == nil)
        #expect(!state.hasPending)
    }

    @Test func `counts what the zone is not known to hold`() throws {
        for name in ["Anna", "Bob"] { try a.insertPerson(name) }
        let pending = try a.pending(byteLimit: .max)
        let state = try a.syncState()
        let bytes = pending.reduce(0) { $0 + $1.changeSet.payload.count }
        #expect(try a.pendingSaves() == PendingSaves(count: 2, byteCount: bytes))
        #expect(state.hasPending)
        #expect(state.last?.sequence == 2)
        #expect(state.last?.origin == pending.last?.changeSet.origin)
        try scenario.zone.push(from: a)
        #expect(try a.pendingSaves() == .none)
    }

    @Test func `gives pending sets in the order of the log, up to a number of bytes`() throws {
        for turn in 0..<5 { try a.insertPerson("P\(turn)") }
        #expect(try a.pending(byteLimit: 1).map(\.changeSet.dot.sequence) == [1])
        #expect(try a.pending(byteLimit: .max).map(\.changeSet.dot.sequence) == [1, 2, 3, 4, 5])
        let some = try a.pending(byteLimit: 800)
        #expect((2...4).contains(some.count))
        for entry in try a.pending(byteLimit: .max) {
            let set = try ChangeSet(decoding: entry.changeSet.encoded())
            #expect(set == entry.changeSet)
        }
    }

    @Test func `moves the cursor over own sets that lie right behind it`() throws {
        try a.insertPerson("Anna")
        try scenario.zone.push(from: a)
        #expect(try a.syncState().cursor?.position == 1)
        try b.insertPerson("Bob")
        try scenario.zone.push(from: b)
        #expect(try b.syncState().cursor == nil, "it does not hold what lies before its set")
        try scenario.zone.pull(into: b)
        #expect(try b.syncState().cursor?.position == 2)
        try a.insertPerson("Cyd")
        try scenario.zone.push(from: a)
        #expect(try a.syncState().cursor?.position == 1)
        try scenario.zone.pull(into: a)
        #expect(try a.syncState().cursor?.position == 3)
        let expected = scenario.zone.log.reduce(LogCursor(startOf: scenario.zone.epoch)) {
            $0.advanced(over: $1)
        }
        #expect(try a.syncState().cursor == expected)
    }

    @Test func `retires a pending set that it pulls before it is acknowledged`() throws {
        try a.insertPerson("Anna")
        let pending = try a.pending(byteLimit: .max)
        for entry in pending { scenario.zone.append(entry.changeSet) }
        #expect(try scenario.zone.pull(into: a).isEmpty)
        #expect(try a.pendingSaves().count == 0)
        let late = pending.enumerated().map {
            Acknowledged($1, position: UInt64($0 + 1))
        }
        try a.acknowledge(late, epoch: scenario.zone.epoch)
        #expect(try a.syncState().cursor?.position == 1)
    }

    @Test func `leaves a set alone that is acknowledged in another form`() throws {
        for name in ["Anna", "Bob"] { try a.insertPerson(name) }
        let pending = try a.pending(byteLimit: .max)
        let acknowledged = pending.enumerated().map { index, entry in
            Acknowledged(
                entry, position: UInt64(index + 1),
                digest: index == 1 ? .zero : entry.changeSet.digest)
        }
        try a.acknowledge(acknowledged, epoch: scenario.zone.epoch)
        #expect(try a.pending(byteLimit: .max).map(\.changeSet.dot.sequence) == [2])
        #expect(try a.syncState().cursor?.position == 1)
    }

    /// Another process has found that the zone was restored, between the push and its answer.
    @Test func `keeps pending what was acknowledged by a life of the zone that it has left`()
        throws
    {
        try scenario.zone.pull(into: a)
        try a.insertPerson("Anna")
        let entry = try #require(try a.pending(byteLimit: .max).first)
        let other = try scenario.open("a")
        let cursor = try #require(try a.syncState().cursor)
        try other.rewind(
            to: LogCursor(
                epoch: EpochID(high: 8, low: 8), position: cursor.position,
                digestHigh: cursor.digestHigh, digestLow: cursor.digestLow))
        try a.acknowledge([Acknowledged(entry, position: 1)], epoch: scenario.zone.epoch)
        #expect(try a.pendingSaves().count == 1)
    }

    @Test func `says in each set what its author held`() throws {
        try a.insertPerson("Anna")
        #expect(try a.pending(byteLimit: .max)[0].changeSet.context == CausalContext())
        try scenario.zone.sync(a)
        try b.insertPerson("Bob")
        for store in [b, a] { try scenario.zone.sync(store) }
        try a.insertPerson("Cyd")
        let context = try #require(try a.pending(byteLimit: .max).last?.changeSet.context)
        #expect(context.beyond.isEmpty)
        #expect(context.prefix == .init(epoch: scenario.zone.epoch, position: 2))
    }

    @Test func `names a former identity's sets only while they lie beyond the prefix`() throws {
        try a.insertPerson("Anna")
        let first = try a.replica
        try a.renewIdentity()
        try a.insertPerson("Bob")
        let second = try a.replica
        try a.renewIdentity()
        try a.insertPerson("Cyd")
        let entries = try a.pending(byteLimit: .max)
        #expect(
            entries[1].changeSet.context.beyond.map(\.dot) == [Dot(replica: first, sequence: 1)])
        #expect(
            Set(entries[2].changeSet.context.beyond.map(\.dot))
                == [Dot(replica: first, sequence: 1), Dot(replica: second, sequence: 1)])
        for (entry, before) in zip(entries.dropFirst(), entries) {
            let found = entry.changeSet.context.beyond.first { $0.dot == before.changeSet.dot }
            #expect(found?.originPrefix == before.changeSet.origin.prefix)
        }
        try scenario.zone.sync(a)
        try a.insertPerson("Dan")
        let context = try #require(try a.pending(byteLimit: .max).last?.changeSet.context)
        #expect(context == CausalContext(prefix: .init(epoch: scenario.zone.epoch, position: 3)))
    }

    @Test func `is kept in the file as bytes under a name`() throws {
        #expect(try a.metadata("server") == nil)
        try a.setMetadata("server", [1, 2])
        try a.setMetadata("server", [])
        #expect(try a.metadata("server") == [])
        a.close()
        let again = try scenario.open("a")
        #expect(try again.metadata("server") == [])
        try again.setMetadata("server", nil)
        #expect(try again.metadata("server") == nil)
    }

    @Test func `can be made durable`() throws {
        try a.insertPerson("Anna")
        let hash = try a.canonicalHash()
        try a.makeDurable()
        #expect(try a.canonicalHash() == hash)
        var options = StoreOptions()
        options.durability = .full
        let full = try Store.open(
            at: scenario.path("full"), model: scenario.model, options: options)
        try full.insertPerson("Bob")
        try full.makeDurable()
    }

    @Test func `hashes to the same under two models, and to another after any change`() throws {
        var hashes = Set([try a.canonicalHash()])
        let anna = try a.insertPerson("Anna")
        hashes.insert(try a.canonicalHash())
        try a.set("age", .integer(0), of: anna)
        hashes.insert(try a.canonicalHash())
        let team = try a.insert("Team", [:])
        hashes.insert(try a.canonicalHash())
        try a.link(anna, "teams", team)
        hashes.insert(try a.canonicalHash())
        try a.set("boss", .integer(anna), of: anna)
        hashes.insert(try a.canonicalHash())
        #expect(hashes.count == 6)
        try scenario.zone.sync(a)
        let other = try ManagedObjectModel {
            EntityDeclaration("Nothing") { AttributeDeclaration("x", .string) }
        }
        let c = try scenario.open("c", model: other)
        try scenario.zone.pull(into: c)
        #expect(try c.canonicalHash() == a.canonicalHash())
    }
}
