import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Writes down what merging discards. The journal belongs to this file and is no part of the
/// merged state.
final class ConflictJournal {
    /// A discarded value before it is written down.
    struct Loss {
        var kind: Conflict.Kind
        var record: LocalID
        var entity: WireName
        var property: WireProperty
        /// As it travels.
        var value: Value
        var lost: LocalStamp
        var winner: LocalStamp?
        /// As it travels; `nil` where a delete has won.
        var winningValue: Value?
    }

    private let transaction: WriteTransaction
    private var known: [LocalStamp: LogPlace?] = [:]

    /// Where the set of a stamp is in this file's log.
    private struct LogPlace {
        let dot: Dot
        let place: CausalContext.Prefix?
        let author: String
    }

    /// Where sets are applied again, what they lost has been noted.
    private let isSilent: Bool

    init(_ transaction: WriteTransaction, isSilent: Bool = false) {
        self.transaction = transaction
        self.isSilent = isSilent
    }

    func record(_ loss: Loss) throws {
        guard !isSilent, !transaction.environment.disabled.contains(.journal) else { return }
        let statement = try transaction.connection.cached(
            """
            INSERT INTO ab_conflict (kind, record, entity, property, type, rule, value, hlc, by,
            author, winner_hlc, winner_by, winner_author, winner_value, noticed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try statement.bind(loss.kind.rawValue, at: 1)
        try statement.bind(loss.record, at: 2)
        try statement.bind(loss.entity.string, at: 3)
        try statement.bind(loss.property.name.string, at: 4)
        try statement.bind(Int64(loss.property.type.rawValue), at: 5)
        try statement.bind(Int64(loss.property.rule.rawValue), at: 6)
        try statement.bind(tagged(loss.value), at: 7)
        try statement.bind(Int64(bitPattern: loss.lost.timestamp), at: 8)
        try statement.bind(loss.lost.ordinal, at: 9)
        try statement.bind(try author(of: loss.lost), at: 10)
        if let winner = loss.winner {
            try statement.bind(Int64(bitPattern: winner.timestamp), at: 11)
            try statement.bind(winner.ordinal, at: 12)
            try statement.bind(try author(of: winner), at: 13)
        }
        if let value = loss.winningValue { try statement.bind(tagged(value), at: 14) }
        try statement.bind(transaction.environment.wallMilliseconds(), at: 15)
        try statement.run()
        statement.clearBindings()
        transaction.noteConflict(
            transaction.connection.lastInsertRowID, of: loss.record, entity: loss.entity)
    }

    private func tagged(_ value: Value) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(tagged: value)
        return writer.bytes
    }

    /// Whether a write that is held and a set that arrives were made without knowledge of each
    /// other. The set arrived later, so it is enough that its author did not hold the write.
    ///
    /// - Returns: False where the log no longer reaches: what cannot be told is not reported.
    func isConcurrent(_ held: LocalStamp, with set: IncomingSet) throws -> Bool {
        if isSilent || held.ordinal == set.stamp.ordinal { return false }
        guard let write = try place(of: held) else { return false }
        let context = set.changeSet.context
        if let prefix = context.prefix, let place = write.place, place.epoch == prefix.epoch,
            place.position <= prefix.position
        {
            return false
        }
        return !context.beyond.contains {
            $0.dot.replica == write.dot.replica && $0.dot.sequence >= write.dot.sequence
        }
    }

    private func author(of stamp: LocalStamp) throws -> String {
        try place(of: stamp)?.author ?? ""
    }

    private func place(of stamp: LocalStamp) throws -> LogPlace? {
        if let found = known[stamp] { return found }
        let found = try lookUp(stamp)
        known[stamp] = .some(found)
        return found
    }

    private func lookUp(_ stamp: LocalStamp) throws -> LogPlace? {
        let statement = try transaction.connection.cached(
            """
            SELECT seq, epoch, server_position, author FROM ab_changeset
            WHERE replica = ? AND hlc = ?
            """)
        try statement.bind(stamp.ordinal, at: 1)
        try statement.bind(Int64(bitPattern: stamp.timestamp), at: 2)
        guard try statement.step(), let replica = transaction.replicas[stamp.ordinal] else {
            return nil
        }
        defer { statement.reset() }
        return LogPlace(
            dot: Dot(replica: replica, sequence: UInt64(bitPattern: statement.int64(at: 0))),
            place: EpochID(bytes: statement.bytes(at: 1)).map {
                CausalContext.Prefix(
                    epoch: $0, position: UInt64(bitPattern: statement.int64(at: 2)))
            }, author: statement.string(at: 3))
    }
}

extension ApplyOperation {
    /// A later write has replaced a value: it is lost if neither author knew of the other.
    func journalOverwritten(
        _ property: TableLayout.Property, of row: HeldRow, held: LocalStamp,
        by value: Value, _ set: IncomingSet
    ) throws {
        guard try journal.isConcurrent(held, with: set) else { return }
        let lost = try shownValue(of: property, in: row)
        let winning = try wireValue(value, property.column.kind)
        guard lost != winning else { return }
        try journal.record(
            .init(
                kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
                property: property.wire, value: lost, lost: held, winner: set.stamp,
                winningValue: winning))
    }

    /// An arriving value is older than the one that is held.
    func journalLost(
        _ property: TableLayout.Property, of row: HeldRow, value: Value,
        to held: LocalStamp?, _ set: IncomingSet
    ) throws {
        let winning = try shownValue(of: property, in: row)
        let lost = try wireValue(value, property.column.kind)
        guard winning != lost else { return }
        try journal.record(
            .init(
                kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
                property: property.wire, value: lost, lost: set.stamp, winner: held,
                winningValue: winning))
    }
}
