import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Records the values that merging discards. The journal belongs to this file and is not part of
/// the merged state.
final class ConflictRecorder {
    private unowned let transaction: StateTransaction

    // Every discarded value accesses the properties marked `unchecked`; a transaction is confined
    // to one thread.
    @exclusivity(unchecked) private var known: [LocalStamp: LogLocation?] = [:]
    @exclusivity(unchecked) private var recent = RecentPair<LocalStamp, LogLocation?>()

    /// The change set of a stamp, in this file's log or removed from it.
    private final class LogLocation {
        let dot: Dot
        let place: UInt64?
        let author: String

        init(dot: Dot, place: UInt64?, author: String) {
            self.dot = dot
            self.place = place
            self.author = author
        }
    }

    /// True if change sets are applied again, so that their losses are already recorded.
    private let isSilent: Bool
    private lazy var noticed = transaction.environment.wallMilliseconds()

    /// The transaction's own journal: use ``StateTransaction/journal``.
    init(_ transaction: StateTransaction) {
        self.transaction = transaction
        isSilent = false
    }

    /// A journal that records nothing, for change sets that are applied again.
    init(silentIn transaction: StateTransaction) {
        self.transaction = transaction
        isSilent = true
    }

    /// Records a discarded write. That of a former property is recorded under the property that
    /// shows it, converted.
    func record(_ write: DiscardedWrite) throws {
        guard !isSilent, Mechanism.journal.isOn else { return }
        let loss = transaction.schema.shown(write, of: try transaction.recordID(of: write.record))
        try transaction.conflicts.add(
            loss, author: try author(of: loss.lost),
            winningAuthor: try loss.winner.map(author),
            noticed: noticed)
    }

    /// True if a held write and an arriving change set are concurrent. The change set arrived
    /// later, so it suffices that its author had not seen the write.
    ///
    /// - Returns: False if the log never had the write's change set: without it, nothing is
    ///   reported.
    func isConcurrent(_ held: LocalStamp, with set: IncomingSet) throws -> Bool {
        if isSilent || held.ordinal == set.stamp.ordinal { return false }
        guard let write = try place(of: held) else { return false }
        let author = set.changeSet
        if author.context.names(write.dot, at: write.place) { return false }
        guard author.rewrittenFrom != nil else { return true }
        let log = transaction.log
        return try !log.continues(author.dot.replica, behind: write.dot)
    }

    /// Forgets cached zone positions, after the zone has reported new ones for change sets in this
    /// file's log.
    func forgetPlaces() {
        known = [:]
        recent = RecentPair()
    }

    func author(of stamp: LocalStamp) throws -> String {
        try place(of: stamp)?.author ?? ""
    }

    private func place(of stamp: LocalStamp) throws -> LogLocation? {
        try recent.value(of: stamp) {
            if let found = known[stamp] { return found }
            let found = try lookUp(stamp)
            known[stamp] = .some(found)
            return found
        }
    }

    private func lookUp(_ stamp: LocalStamp) throws -> LogLocation? {
        let logged = LoggedStamps(connection: transaction.connection)
        guard let write = try logged.write(of: stamp),
            let replica = transaction.replicas[stamp.ordinal]
        else { return nil }
        return LogLocation(
            dot: Dot(replica: replica, sequence: write.sequence), place: write.place,
            author: write.author)
    }
}

extension StoreSchema {
    /// The property that shows the writes of a property, and a value as it shows it.
    ///
    /// It is another one if the model has changed the type of the property.
    func shown(
        _ value: PropertyValue, in property: WireProperty, of record: RecordID, _ entity: WireName
    ) -> (property: WireProperty, value: PropertyValue) {
        guard let successor = recordLayout(named: entity)?.successor(of: property)?.wire,
            let widened = successor.shown(value, of: property, in: record)
        else { return (property, value) }
        return (successor, widened)
    }

    fileprivate func shown(_ loss: DiscardedWrite, of record: RecordID) -> DiscardedWrite {
        var shown = loss
        (shown.property, shown.value) = self.shown(
            loss.value, in: loss.property, of: record, loss.entity)
        shown.winningValue = loss.winningValue.map {
            self.shown($0, in: loss.property, of: record, loss.entity).value
        }
        return shown
    }
}

extension CausalContext {
    /// True if the author of a change set had seen a change set of another replica.
    ///
    /// Only positions are compared, without the epoch. The positions in this file's log belong to
    /// the present epoch, which continues the earlier ones up to there. When a zone goes back to an
    /// earlier state, positions beyond it are removed, and contexts are rewritten for the present
    /// log.
    ///
    /// - Parameter place: The position of the other change set in the zone's log; `nil` if it is
    ///   not known.
    func names(_ dot: Dot, at place: UInt64?) -> Bool {
        if let prefix, let place, place <= prefix.position { return true }
        return last(of: dot.replica).map { $0.sequence >= dot.sequence } ?? false
    }

    /// True if this context names every change set that another context names individually.
    func covers(_ other: CausalContext) -> Bool {
        other.beyond.allSatisfy { names($0.dot, at: nil) }
    }
}

extension MergeRule {
    /// True if a write that does not win counts as lost. Under `max` and `min`, losing is the
    /// purpose of the rule.
    var loses: Bool { !isExtremum }

    var isExtremum: Bool { self == .max || self == .min }
}
