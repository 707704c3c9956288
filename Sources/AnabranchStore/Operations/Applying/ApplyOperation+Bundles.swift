import AnabranchReplication
import AnabranchSQLite

/// Applies change sets that came in a bundle, so that no zone's log has put them in order.
extension ApplyOperation {
    enum Arrival {
        case applied
        /// The file already has the save, in some form.
        case held
        /// The change set is stored and waits until it can be applied.
        ///
        /// It lacks its predecessor or a cause, or a zone's log must resolve a fork first. It also
        /// waits if its time is too far ahead, or if it names stamps that a restamp has replaced.
        case waiting
    }

    var waitingSets: WaitingChangeSets { WaitingChangeSets(connection) }

    /// True if the file has change sets that wait.
    var hasWaiting: Bool {
        get throws { try transaction.tables.hasWaiting ?? !waitingSets.isEmpty }
    }

    /// Applies a change set of a bundle, or stores it until everything that its author had seen is
    /// held.
    ///
    /// - Parameter set: A change set with a context that names everything its author had seen.
    mutating func applyFromBundle(_ set: ChangeSet) throws -> Arrival {
        if try isHeld(set) { return .held }
        if try isBeneathSnapshot(set) {
            try forget(set)
            return .held
        }
        if let dot = try lacking(set) {
            try wait(set, lacking: dot)
            return .waiting
        }
        try applyBeyondLog(set)
        return .applied
    }

    /// Stores a change set that waits. If another bundle has brought it too, the smaller context
    /// counts. A store that began with a snapshot may name more causes in a context than the author
    /// had seen.
    private mutating func wait(_ set: ChangeSet, lacking dot: Dot) throws {
        let waiting = try waitingSets.set(set.origin)
        guard waiting.map({ $0.context.covers(set.context) }) ?? true else { return }
        if waiting == nil { try addOwnHistory(of: set.dot.replica) }
        try waitingSets.add(set, lacking: dot)
    }

    private func isHeld(_ set: ChangeSet) throws -> Bool { try log.position(of: set) != nil }

    private mutating func applyBeyondLog(_ set: ChangeSet) throws {
        // Later saves of this file must name this change set in their contexts.
        let ordinal = try transaction.ordinal(of: set.dot.replica, isOwn: true)
        try append(set, ordinal: ordinal, at: nil)
    }

    // MARK: - Missing causes

    /// The change set without which a change set cannot be applied; `nil` if it can be applied now.
    ///
    /// A cause is identified by its dot and its origin, because another history, which the author
    /// had not seen, may have the same dot.
    private func lacking(_ set: ChangeSet) throws -> Dot? {
        if let dot = try lackingPredecessor(of: set) { return dot }
        // Its bundle came before there was a limit, or the clock has been set back since.
        if isTooFarAhead(set) { return set.dot }
        guard Mechanism.bundleCauses.isOn else { return nil }
        if let dot = try set.context.beyond.first(where: { try !isApplied($0) })?.dot { return dot }
        return try isOfOtherTimes(set) ? set.dot : nil
    }

    private func isTooFarAhead(_ set: ChangeSet) -> Bool {
        Mechanism.bundleClockLimit.isOn && set.timestamp > transaction.time.latest(.bundle)
    }

    /// True if a change set follows saves that this file has with other timestamps, because they
    /// were restamped. The stamps that it names as seen would then mean nothing here. Another
    /// replica brings it to the zone in a matching form.
    ///
    /// This cannot be determined for a replica with saves that are part of a snapshot.
    private func isOfOtherTimes(_ set: ChangeSet) throws -> Bool {
        guard set.kind.isSave else { return false }
        if try !isLaterThanPredecessor(set) { return true }
        var seen: Set<Stamp> = []
        try set.forEachBlock(PartTable(connection)) { seen.formUnion($0.seenStamps) }
        return try seen.contains { try $0 != set.stamp && !mayName(aSave: $0) }
    }

    private func isLaterThanPredecessor(_ set: ChangeSet) throws -> Bool {
        guard let dot = set.dot.predecessor else { return true }
        let last = try connection.firstValue(
            "SELECT hlc FROM ab_changeset WHERE replica = ? AND seq = ?",
            .integer(try transaction.ordinal(of: dot.replica)),
            .integer(Int64(bitPattern: dot.sequence)))
        guard case .integer(let timestamp)? = last else { return true }
        return UInt64(bitPattern: timestamp) < set.timestamp.rawValue
    }

    /// True if a stamp may belong to a save. It may be a save in a snapshot or one declared lost,
    /// for which no timestamp is known.
    private func mayName(aSave stamp: Stamp) throws -> Bool {
        guard let ordinal = transaction.replicas.ordinal(of: stamp.replica) else { return false }
        let local = LocalStamp(timestamp: stamp.timestamp.rawValue, ordinal: ordinal)
        let logged = LoggedStamps(connection: connection)
        guard try logged.position(of: local) ?? logged.waiting(local) == nil else { return true }
        let known = try connection.firstValue(
            "SELECT count(*) FROM ab_changeset WHERE replica = ? AND seq BETWEEN 1 AND ? "
                + "AND kind <> ?", .integer(ordinal),
            .integer(Int64(bitPattern: try transaction.head(of: ordinal).sequence)),
            .integer(Int64(LogEntryKind.lost.rawValue)))
        return try known != .integer(Int64(transaction.head(of: ordinal).sequence))
    }

    private func lackingPredecessor(of set: ChangeSet) throws -> Dot? {
        let dot = set.dot
        let ordinal = transaction.replicas.ordinal(of: dot.replica)
        let head = try ordinal.map(transaction.head) ?? (0, .zero)
        // Another change set is held under this dot. Without a zone's log, no branch is renamed.
        guard dot.sequence > head.sequence else { return dot }
        guard dot.sequence == head.sequence + 1 else {
            return Dot(replica: dot.replica, sequence: dot.sequence - 1)
        }
        if set.previousOrigin == head.origin { return nil }
        guard dot.sequence == 1, let first = set.rewrittenFrom else {
            return Dot(replica: dot.replica, sequence: max(dot.sequence - 1, 1))
        }
        // A renamed history continues the history that it left.
        let position = try log.position(ofPredecessorOf: set)
        if let position, try transaction.isApplied(at: position) { return nil }
        let last = Dot(replica: first.replica, sequence: max(first.sequence - 1, 1))
        let entry = CausalContext.Entry(dot: last, originPrefix: set.previousOrigin.prefix)
        return try isHeldBySnapshot(entry) ? nil : last
    }

    /// True if the rows have a cause. A cause that waits in the log is not enough.
    private func isApplied(_ entry: CausalContext.Entry) throws -> Bool {
        guard let ordinal = transaction.replicas.ordinal(of: entry.dot.replica) else {
            return false
        }
        let statement = try connection.cached(
            "SELECT origin, kind, position FROM ab_changeset WHERE replica = ? AND seq = ?",
            ordinal, Int64(bitPattern: entry.dot.sequence))
        guard try statement.step() else { return try isHeldBySnapshot(entry) }
        let position = statement.int64(at: 2)
        let isNamed =
            Digest(bytes: statement.bytes(at: 0))?.prefix == entry.originPrefix
            || statement.int64(at: 1) == Int64(LogEntryKind.lost.rawValue) || entry.namesLoss
        statement.reset()
        guard isNamed else { return false }
        return try transaction.isApplied(at: position) || isHeldBySnapshot(entry)
    }

    // MARK: - Change sets in a snapshot

    /// True if the log lacks a change set because a snapshot includes it. Change sets of another
    /// branch are recognized only under the last dot of their replica.
    private func isHeldBySnapshot(_ entry: CausalContext.Entry) throws -> Bool {
        guard transaction.state.start != nil,
            let ordinal = transaction.replicas.ordinal(of: entry.dot.replica)
        else { return false }
        let head = try transaction.head(of: ordinal)
        guard entry.dot.sequence == head.sequence else {
            return entry.dot.sequence < head.sequence
        }
        return head.origin.prefix == entry.originPrefix || entry.namesLoss
    }

    /// True if the snapshot with which this file began is known to include a change set. That is
    /// known of the head of its replica, and if its successor in the log names it.
    private func isBeneathSnapshot(_ set: ChangeSet) throws -> Bool {
        guard transaction.state.start != nil,
            let ordinal = transaction.replicas.ordinal(of: set.dot.replica)
        else { return false }
        let head = try transaction.head(of: ordinal)
        guard set.dot.sequence < head.sequence else {
            return set.dot.sequence == head.sequence && set.origin == head.origin
        }
        return try connection.cached(
            """
            SELECT \(ChangeLog.previousOrigin) FROM ab_changeset c WHERE replica = ? AND seq = ?
            """, ordinal, Int64(bitPattern: set.dot.sequence + 1)
        ).first { $0.bytes(at: 0) == set.origin.bytes } ?? false
    }

    /// Removes a change set that a snapshot includes, and its predecessors that wait.
    private mutating func forget(_ set: ChangeSet) throws {
        try waitingSets.remove(set.origin)
        arrivals.add(set.dot, set.origin)
        var origin = set.previousOrigin
        while let earlier = try waitingSets.set(origin) {
            try waitingSets.remove(origin)
            arrivals.add(earlier.dot, origin)
            arrivals.markBeneathSnapshot()
            origin = earlier.previousOrigin
        }
    }

    // MARK: - Change sets that wait

    /// Applies every waiting change set that lacked only what this transaction has applied.
    ///
    /// If the transaction has renamed or restamped change sets, all that wait are checked.
    mutating func releaseWaiting() throws {
        if arrivals.hasRewritten { try reconsiderAll() }
        try releaseFollowers()
    }

    /// Checks every change set that waits.
    mutating func reconsiderAll() throws {
        arrivals.forgetRewriting()
        for origin in try waitingSets.origins() {
            if let set = try waitingSets.set(origin) { try reconsider(set) }
        }
        try releaseFollowers()
    }

    private mutating func releaseFollowers() throws {
        while let last = arrivals.takeLast() {
            try waitingSets.remove(last.origin)
            for set in try waitingSets.sets(lacking: last.dot) { try reconsider(set) }
        }
    }

    private mutating func reconsider(_ set: ChangeSet) throws {
        if try isHeld(set) { return try waitingSets.remove(set.origin) }
        if try isBeneathSnapshot(set) { return try forget(set) }
        if let dot = try lacking(set) { return try waitingSets.move(set, lacking: dot) }
        try applyBeyondLog(set)
    }
}
