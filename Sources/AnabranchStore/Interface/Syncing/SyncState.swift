package import AnabranchReplication

/// The state of a store before a sync begins.
package struct SyncState: Sendable {
    package let replica: ReplicaID
    /// The cursor; `nil` before the first pull.
    package let cursor: LogCursor?
    /// The last change set under the present replica ID; `nil` before the first.
    package let last: (sequence: UInt64, origin: Digest)?
    /// True if the file has change sets that the zone is not known to hold.
    package let hasPending: Bool
    /// The epochs of the zone's log that the file knows.
    package let epochs: Set<EpochID>
    /// True if records wait for repair.
    package let hasRecordsToRepair: Bool
    /// The beginning of the file's part of the zone's log; `nil` if it has the log from the first
    /// entry on.
    package let start: LogCursor?
    /// True if the log cannot show what the zone lost, so that a snapshot must be taken.
    package let wantsSnapshot: Bool
    /// The snapshot that has been received in part; `nil` if there is none.
    package let staged: StagedSnapshot?
    /// The number of rejected saves that were not discarded.
    package let rejectedCount: Int
    /// The epochs in which the zone has acknowledged change sets that lie after the cursor.
    package let epochsAhead: Set<EpochID>
    /// The least version of the app that may sync with the zone; `nil` if none is set.
    package let minimumVersion: Int64?

    package init(
        replica: ReplicaID, cursor: LogCursor?, last: (sequence: UInt64, origin: Digest)?,
        hasPending: Bool, epochs: Set<EpochID> = [], hasRecordsToRepair: Bool = false,
        start: LogCursor? = nil,
        wantsSnapshot: Bool = false, staged: StagedSnapshot? = nil,
        rejectedCount: Int = 0, epochsAhead: Set<EpochID> = [], minimumVersion: Int64? = nil
    ) {
        self.minimumVersion = minimumVersion
        self.epochsAhead = epochsAhead
        self.start = start
        self.wantsSnapshot = wantsSnapshot
        self.staged = staged
        self.replica = replica
        self.cursor = cursor
        self.last = last
        self.hasPending = hasPending
        self.epochs = epochs
        self.hasRecordsToRepair = hasRecordsToRepair
        self.rejectedCount = rejectedCount
    }
}

extension SyncState {
    /// - Returns: `nil` if something in it must be read first.
    init?(_ head: StoreHead, _ store: Store) throws {
        let state = head.state
        guard let hasPending = head.log.hasUnplaced, let epochsAhead = head.epochsAhead,
            let epochs = head.tables.epochs, let staged = head.tables.staged,
            let hasRecordsToRepair = head.tables.hasRecordsToRepair,
            let rejectedCount = head.tables.rejectedCount,
            let minimumVersion = head.tables.minimumVersion
        else { return nil }
        guard let replica = store.knownReplicas.present[state.ordinal] else {
            throw StoreError(
                .corrupt,
                "Can't use \(store.path) because its replica ID is missing. Restore a backup.")
        }
        let hasSaved = state.head.ordinal == state.ordinal && state.head.sequence > 0
        self.init(
            replica: replica, cursor: state.cursor,
            last: hasSaved ? (state.head.sequence, state.head.origin) : nil,
            hasPending: hasPending, epochs: epochs, hasRecordsToRepair: hasRecordsToRepair,
            start: state.start, wantsSnapshot: state.wantsSnapshot, staged: staged,
            rejectedCount: rejectedCount, epochsAhead: epochsAhead,
            minimumVersion: minimumVersion)
    }
}

/// The zone's answer about one pushed change set.
package struct Acknowledged: Sendable {
    /// The entry as it was pushed.
    let pushed: StoredLogEntry
    /// The position in the zone's log.
    package let position: UInt64
    /// The dot in the zone's log.
    package let dot: Dot
    package let timestamp: HybridTimestamp
    package let digest: Digest
    /// The reason why the zone's log has a void in its place; `nil` if it has the change set.
    package let rejection: SaveRejection?

    /// The position in this file's log.
    package var localPosition: Int64 { pushed.localPosition }

    /// True if the zone's log has the change set in the form in which it was pushed.
    var isAsPushed: Bool {
        rejection == nil && digest == pushed.changeSet.digest && dot == pushed.changeSet.dot
    }

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - pushed: The entry as it was pushed.
    ///   - dot: The dot in the zone's log; `nil` if it is that of the pushed entry. The same
    ///     applies to the timestamp and the digest.
    package init(
        _ pushed: StoredLogEntry, position: UInt64, dot: Dot? = nil,
        timestamp: HybridTimestamp? = nil,
        digest: Digest? = nil, rejection: SaveRejection? = nil
    ) {
        self.pushed = pushed
        self.position = position
        self.dot = dot ?? pushed.changeSet.dot
        self.timestamp = timestamp ?? pushed.changeSet.timestamp
        self.digest = digest ?? pushed.changeSet.digest
        self.rejection = rejection
    }
}
