import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Applies change sets from other replicas, one after the other, within one transaction.
struct ApplyOperation {
    let transaction: StateTransaction
    private var merge: ChangeSetMerge

    var changes: ChangeCollector {
        get { merge.changes }
        _modify { yield &merge.changes }
    }
    var arrivals: Arrivals { transaction.arrivals }
    var connection: Connection { transaction.connection }
    var log: ChangeLog { transaction.log }
    var schema: StoreSchema { transaction.schema }

    init(_ transaction: StateTransaction) {
        self.transaction = transaction
        merge = ChangeSetMerge(transaction)
    }

    mutating func apply(_ set: ChangeSet, at place: CausalContext.Prefix) throws {
        if try recordEcho(of: set, at: place) { return }
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        let head = try transaction.head(of: ordinal).sequence
        if set.dot.sequence <= head, try meetLoss(of: set, at: place) { return }
        try checkContinues(set, ordinal: ordinal)
        if transaction.state.start != nil { try renameWaiting(set.dot) }
        try append(set, ordinal: ordinal, at: place)
    }

    /// Appends a change set to the log and applies it to the rows.
    ///
    /// - Parameter place: The position in the zone's log; `nil` if it is not known.
    mutating func append(_ set: ChangeSet, ordinal: Int64, at place: CausalContext.Prefix?) throws {
        try addOwnHistory(of: set.dot.replica)
        arrivals.add(set.dot, set.origin)
        if Mechanism.clockObservation.isOn { transaction.state.clock.observe(set.timestamp) }
        try settleRejection(of: set)
        // The log entry comes first, because the conflict journal looks up authors in the log.
        let position = try log.append(set, ordinal: ordinal, place: place)
        transaction.written.add(position: position)
        try transaction.setHead(of: ordinal, sequence: set.dot.sequence, origin: set.origin)
        try merge.merge(IncomingSet(set, ordinal: ordinal, position: position))
    }

    /// Requests a new replica ID if a change set of this replica arrives that this file does not
    /// hold: the file was restored or copied.
    func addOwnHistory(of replica: ReplicaID) throws {
        guard try replica == transaction.ownReplica(), Mechanism.identityRenewal.isOn else {
            return
        }
        transaction.state.isRenewing = true
    }

    /// Recognizes a change set that the file already holds, and records its zone position.
    ///
    /// - Returns: True if the file holds the change set.
    private mutating func recordEcho(of set: ChangeSet, at place: CausalContext.Prefix) throws
        -> Bool
    {
        guard Mechanism.originEcho.isOn else { return false }
        guard let position = try log.position(of: set) else { return false }
        if try !isCounted(set.dot), try !transaction.isApplied(at: position) {
            try forgetWaiting(at: position, for: set)
            return false
        }
        if try log.digest(at: position) != set.digest, Mechanism.formAdoption.isOn {
            try replaceByZoneForm(set, at: place, heldAt: position)
        }
        try ZonePositions(transaction).record(place, ofSetAt: position)
        return true
    }

    /// True if this file counts a change set of the log as held under the name that the zone gives
    /// it. Only a snapshot leaves entries in the log that wait for their predecessors, or for the
    /// zone to rename their branch.
    private func isCounted(_ dot: Dot) throws -> Bool {
        guard transaction.state.start != nil else { return true }
        let ordinal = try transaction.ordinal(of: dot.replica)
        return try dot.sequence <= transaction.head(of: ordinal).sequence
    }

    /// Checks that a change set continues the held history of its replica without a gap (invariant
    /// 1).
    private mutating func checkContinues(_ set: ChangeSet, ordinal: Int64) throws {
        if set.dot.sequence <= (try transaction.head(of: ordinal)).sequence {
            try renameBranch(set.dot)
        }
        let head = try transaction.head(of: ordinal)
        guard Mechanism.gapCheck.isOn else { return }
        guard set.dot.sequence == head.sequence + 1 else {
            throw StoreError(
                .sequenceGap,
                "Can't apply \(set.dot) because the store does not hold number "
                    + "\(head.sequence + 1) of its replica. Pull again.",
                path: transaction.store.path)
        }
        guard
            try set.previousOrigin == head.origin || beginsRenamedHistory(set)
                || transaction.followsLoss(set)
        else {
            // No digest covers the predecessor that a rewritten change set names. Damage, which a
            // new pull fixes, is more likely than another history.
            throw set.rewrittenFrom == nil ? forked(set) : damaged(set)
        }
    }

    /// True for the first change set of a renamed history that continues the history it left.
    private func beginsRenamedHistory(_ set: ChangeSet) throws -> Bool {
        guard set.dot.sequence == 1, set.rewrittenFrom != nil else { return false }
        // A snapshot may include the change set at which the histories separate; the zone has
        // checked it.
        guard transaction.state.start == nil else { return true }
        let found = try log.position(ofPredecessorOf: set)
        guard found == nil, let left = set.rewrittenFrom?.predecessor else { return found != nil }
        // The predecessor may have been removed from this file's log.
        let head = try transaction.head(of: try transaction.ordinal(of: left.replica))
        return try left.sequence <= head.sequence && log.entry(named: left) == nil
    }

    private func damaged(_ set: ChangeSet) -> StoreError {
        StoreError(
            .malformedChangeSet,
            "Can't apply \(set.dot) because its predecessor is not the one that the store holds. "
                + "Pull again.",
            path: transaction.store.path)
    }

    private func forked(_ set: ChangeSet) -> StoreError {
        StoreError(
            .forked,
            "Can't apply \(set.dot) because this store holds another history of its replica.",
            path: transaction.store.path)
    }
}
