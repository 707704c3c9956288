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

    // Every discarded value touches what is marked `unchecked`; a transaction is confined to one
    // thread.
    @exclusivity(unchecked) private var known: [LocalStamp: LogPlace?] = [:]
    @exclusivity(unchecked) private var recent = RecentPair<LocalStamp, LogPlace?>()

    /// Where the set of a stamp is in this file's log.
    private final class LogPlace {
        let dot: Dot
        let place: CausalContext.Prefix?
        let author: String

        init(dot: Dot, place: CausalContext.Prefix?, author: String) {
            self.dot = dot
            self.place = place
            self.author = author
        }
    }

    /// Where sets are applied again, what they lost has been noted.
    private let isSilent: Bool
    private lazy var noticed = transaction.environment.wallMilliseconds()

    init(_ transaction: WriteTransaction, isSilent: Bool = false) {
        self.transaction = transaction
        self.isSilent = isSilent
    }

    func record(_ loss: Loss) throws {
        guard !isSilent, !transaction.environment.disabled.contains(.journal) else { return }
        try transaction.conflicts.add(
            loss, author: try author(of: loss.lost),
            winningAuthor: try loss.winner.map(author),
            noticed: noticed)
    }

    /// Whether a write that is held and a set that arrives were made without knowledge of each
    /// other. The set arrived later, so it is enough that its author did not hold the write.
    ///
    /// - Returns: False where the log no longer reaches: what cannot be told is not reported.
    func isConcurrent(_ held: LocalStamp, with set: IncomingSet) throws -> Bool {
        if isSilent || held.ordinal == set.stamp.ordinal { return false }
        guard let write = try place(of: held) else { return false }
        let author = set.changeSet
        if author.context.names(write.dot, at: write.place) { return false }
        guard author.rewrittenFrom != nil else { return true }
        let log = transaction.log
        return try !log.continues(author.dot.replica, behind: write.dot)
    }

    /// The zone has said where it has a set of this file's log.
    func forgetPlaces() {
        known = [:]
        recent = RecentPair()
    }

    func author(of stamp: LocalStamp) throws -> String {
        try place(of: stamp)?.author ?? ""
    }

    private func place(of stamp: LocalStamp) throws -> LogPlace? {
        try recent.value(of: stamp) {
            if let found = known[stamp] { return found }
            let found = try lookUp(stamp)
            known[stamp] = .some(found)
            return found
        }
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

extension CausalContext {
    /// Whether an author held a set of another replica.
    ///
    /// Of places and prefixes only the positions are compared, whichever life of the zone's log
    /// named them: what this file's log says of them is of the present one, which continues the
    /// earlier ones up to there. Going back takes the places beyond away, and says in the words
    /// of the present log what authors held.
    ///
    /// - Parameter place: Of the set in the zone's log, where it is known.
    func names(_ dot: Dot, at place: Prefix?) -> Bool {
        if let prefix, let place, place.position <= prefix.position { return true }
        return beyond.contains {
            $0.dot.replica == dot.replica && $0.dot.sequence >= dot.sequence
        }
    }

    /// Whether it names, one by one, all that another names so.
    func covers(_ other: CausalContext) -> Bool {
        other.beyond.allSatisfy { names($0.dot, at: nil) }
    }
}

extension ApplyOperation {
    /// A later write has replaced a value: it is lost if neither author knew of the other.
    ///
    /// - Parameter value: As it travels.
    func journalOverwritten(
        _ property: TableLayout.Property, of row: HeldRow, held: LocalStamp,
        by value: Value, _ set: IncomingSet
    ) throws {
        guard try journal.isConcurrent(held, with: set) else { return }
        let lost = try shownValue(of: property, in: row)
        guard lost != value else { return }
        try journal.record(
            .init(
                kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
                property: property.wire, value: lost, lost: held, winner: set.stamp,
                winningValue: value))
    }

    /// An arriving value is older than the one that is held.
    ///
    /// - Parameter value: As it travels.
    func journalLost(
        _ property: TableLayout.Property, of row: HeldRow, value: Value,
        to held: LocalStamp?, _ set: IncomingSet
    ) throws {
        let winning = try shownValue(of: property, in: row)
        guard winning != value else { return }
        try journal.record(
            .init(
                kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
                property: property.wire, value: value, lost: set.stamp, winner: held,
                winningValue: winning))
    }
}
