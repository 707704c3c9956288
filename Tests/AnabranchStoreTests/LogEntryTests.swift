import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchStore

/// Entries of the log, with columns that leave out what follows from others, and without an index
/// of origins (decision 27).
@Suite struct `Entries of a log` {
    private let scenario: StoreScenario
    private let store: Store

    init() throws {
        scenario = try StoreScenario()
        store = try scenario.open("a")
    }

    private static let other = ReplicaID(high: 7, low: 7)

    private func save(_ count: Int) throws -> [StoredLogEntry] {
        for number in 0..<count {
            scenario.clock.milliseconds += 10
            _ = try store.insertPerson("Person \(number)")
        }
        return try store.read { try $0.changeSets(after: 0, limit: .max) }
    }

    private func count(_ sql: String) throws -> SQLiteValue? {
        try store.read { try $0.connection.firstValue(sql) }
    }

    @Test func `store their digest, their predecessor and their names only once`() throws {
        let entries = try save(5)
        #expect(
            try count("SELECT count(*) FROM ab_changeset WHERE digest IS NULL") == .integer(5))
        #expect(
            try count("SELECT count(*) FROM ab_changeset WHERE previous_origin IS NULL")
                == .integer(4))
        #expect(try count("SELECT count(*) FROM ab_payload_tables") == .integer(1))
        for entry in entries {
            #expect(try ChangeSet(decoding: entry.changeSet.encoded()) == entry.changeSet)
            #expect(entry.changeSet.digest == entry.changeSet.computedDigest())
        }
        for (earlier, later) in zip(entries, entries.dropFirst()) {
            #expect(later.changeSet.previousOrigin == earlier.changeSet.origin)
        }
    }

    @Test func `keep the digest of a large save, and its names`() throws {
        _ = try store.insertPerson(String(repeating: "a", count: 5000))
        #expect(try count("SELECT length(digest) FROM ab_changeset") == .integer(32))
        #expect(try count("SELECT tables FROM ab_changeset") == .null)
        let entry = try #require(try store.read { try $0.changeSets(after: 0, limit: 1) }.first)
        #expect(try ChangeSet(decoding: entry.changeSet.encoded()) == entry.changeSet)
    }

    /// A list of parts may look like a payload with tables: this one has the version 1, one
    /// “replica”, no names and no properties.
    @Test func `keep a list of parts whole`() throws {
        let payload: [UInt8] = [1, 1] + [UInt8](repeating: 7, count: 16) + [0, 0, 5, 5]
        #expect(ChangePayload.byteCountOfTables(in: payload) == 20)
        for (kind, isWhole) in [(LogEntryKind.saveInParts, true), (.save, false)] {
            let (position, tables) = try store.write { transaction in
                let ordinal = try transaction.ordinal(of: Self.other)
                let set = ChangeSet(
                    saving: payload, as: kind,
                    dot: Dot(replica: Self.other, sequence: isWhole ? 1 : 2),
                    timestamp: HybridTimestamp(rawValue: 1 << 40), previousOrigin: .zero,
                    context: CausalContext())
                let position = try transaction.log.append(set, ordinal: ordinal, place: nil)
                #expect(try transaction.log.entry(at: position)?.changeSet == set)
                let tables = try transaction.connection.firstValue(
                    "SELECT tables FROM ab_changeset WHERE position = ?", .integer(position))
                return (position, tables)
            }
            #expect((tables == .null) == isWhole, "\(position)")
        }
    }

    @Test func `name their predecessor although it is removed or renamed`() throws {
        let before = try save(6).map(\.changeSet)
        try store.write { transaction in
            try transaction.log.forget(2)
            let entry = try #require(try transaction.log.entry(at: 4))
            let set = entry.changeSet
            let renamed = ChangeSet(
                fromLog: set.kind, dot: Dot(replica: Self.other, sequence: 1),
                timestamp: set.timestamp, author: set.author, name: set.name,
                payload: set.payload, rewrittenFrom: set.dot, previousOrigin: set.previousOrigin,
                origin: set.origin, digest: nil, context: set.context)
            let ordinal = try transaction.ordinal(of: Self.other)
            try transaction.replace(entry, by: renamed, ordinal: ordinal)
        }
        let after = try store.read { try $0.changeSets(after: 0, limit: .max) }.map(\.changeSet)
        let left = [0, 2, 3, 4, 5]
        #expect(after.map(\.previousOrigin) == left.map { before[$0].previousOrigin })
        #expect(after.map(\.origin) == left.map { before[$0].origin })
    }

    @Test func `name the predecessor that the transaction before has removed`() throws {
        let before = try save(3).map(\.changeSet)
        try store.write { try $0.log.forget(3) }
        let after = try save(1).map(\.changeSet)
        #expect(after.map(\.previousOrigin) == [.zero, before[0].origin, before[2].origin])
    }

    @Test func `are found by their origin under any name that they had`() throws {
        let sets = try save(4).map(\.changeSet)
        try store.write { transaction in
            let ordinal = try transaction.ordinal(of: Self.other)
            func rename(_ position: Int64, to dot: Dot, first: Dot) throws {
                let entry = try #require(try transaction.log.entry(at: position))
                let set = entry.changeSet
                try transaction.replace(
                    entry,
                    by: ChangeSet(
                        fromLog: set.kind, dot: dot, timestamp: set.timestamp, author: set.author,
                        name: set.name, payload: set.payload, rewrittenFrom: first,
                        previousOrigin: set.previousOrigin, origin: set.origin, digest: nil,
                        context: set.context),
                    ordinal: ordinal)
            }
            try rename(3, to: Dot(replica: Self.other, sequence: 8), first: sets[2].dot)
            let log = transaction.log
            for (index, set) in sets.enumerated() {
                #expect(try log.position(of: set) == Int64(index + 1))
                let previous = try log.position(ofPredecessorOf: set)
                #expect(previous == (index == 0 ? nil : Int64(index)))
            }
            // As if the predecessor had been first saved under a third name.
            try transaction.connection.execute(
                "UPDATE ab_changeset SET rewritten = x'00' WHERE position = 3")
            #expect(try log.position(of: sets[2]) == nil)
            #expect(try log.position(ofPredecessorOf: sets[3]) == 3)
        }
    }

    private static func expectFound(
        _ entries: [StoredLogEntry], _ logged: LoggedStamps, _ transaction: StateTransaction
    ) throws {
        for entry in entries {
            let stamp = try transaction.localStamp(entry.changeSet.stamp)
            #expect(try logged.position(of: stamp) == entry.localPosition)
        }
    }

    @Test func `are found by their stamps`() throws {
        let entries = try save(40)
        try store.write { transaction in
            let logged = LoggedStamps(connection: transaction.connection)
            // Some are in the zone, from the first on.
            try transaction.connection.execute(
                "UPDATE ab_changeset SET server_position = position WHERE position <= 11")
            try transaction.log.raisePlaced()
            try Self.expectFound(entries, logged, transaction)
            for entry in entries {
                let stamp = try transaction.localStamp(entry.changeSet.stamp)
                for difference in [-1, 1] as [Int64] {
                    let time = Int64(stamp.timestamp) + difference
                    let near = LocalStamp(timestamp: UInt64(time), ordinal: stamp.ordinal)
                    #expect(try logged.position(of: near) == nil)
                }
            }
            let strange = LocalStamp(timestamp: 1, ordinal: 99)
            #expect(try logged.position(of: strange) == nil)
        }
    }

    /// The zone may place a later save first: it has the earlier one in another form.
    @Test func `are found by their stamps although the zone holds later ones`() throws {
        let entries = try save(9)
        try store.write { transaction in
            let logged = LoggedStamps(connection: transaction.connection)
            try transaction.connection.execute(
                "UPDATE ab_changeset SET server_position = position WHERE position IN (1, 2, 4, 9)")
            try transaction.log.raisePlaced()
            try Self.expectFound(entries, logged, transaction)
        }
    }

    @Test func `are not read one by one to name the heads beyond the cursor`() throws {
        let plan = try store.read {
            try $0.connection.rows("EXPLAIN QUERY PLAN " + ChangeLog.headsBeyondPrefix)
        }
        let steps = plan.compactMap { row in
            if case .text(let step)? = row.last { step } else { nil }
        }
        #expect(steps.contains { $0.hasPrefix("SEARCH c USING INDEX ab_changeset_dot") })
        #expect(!steps.contains { $0.hasPrefix("SCAN c") }, "\(steps)")
    }

    @Test func `leave the position of a save alone when stamps get others`() throws {
        try store.write { transaction in
            let position = try transaction.log.nextPosition()
            let stamp = LocalStamp(timestamp: 1 << 40, ordinal: 0)
            transaction.logStamps.record(stamp, at: position)
            let positions = try StampPositions(transaction.log, stamps: transaction.logStamps)
            let other = LocalStamp(timestamp: 1 << 41, ordinal: 0)
            #expect(try positions[stamp] == position)
            #expect(try positions[other] == position + 1)
            try positions.finish()
            #expect(try transaction.log.nextPosition() == position + 2)
        }
    }

    @Test func `get positions that no other had`() throws {
        let count = Int64(try save(3).count)
        try store.write { transaction in
            #expect(try transaction.log.nextPosition() == count + 1)
            try transaction.log.forget(count)
            #expect(try transaction.log.nextPosition() == count + 1)
            transaction.log.reservePositions(through: count + 1)
            #expect(try transaction.log.nextPosition() == count + 2)
        }
        _ = try store.insertPerson("next")
        let last = try store.read { try $0.changeSets(after: 0, limit: .max) }.last
        #expect(last?.localPosition == count + 2)
    }
}
