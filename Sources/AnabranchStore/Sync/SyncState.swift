package import AnabranchReplication

/// What a sync has to know of a store before it begins.
package struct SyncState: Sendable {
    package let replica: ReplicaID
    /// `nil` before the first pull.
    package let cursor: LogCursor?
    /// Of the last change set under the present replica ID; `nil` before the first.
    package let last: (sequence: UInt64, origin: Digest)?
    /// Change sets that the zone is not known to hold.
    package let pendingCount: Int
    package let pendingByteCount: Int
    /// Lives of the zone's log that the file has heard of.
    package let epochs: Set<EpochID>
    /// Whether there are records that the zone has to be asked for.
    package let hasDebts: Bool
    /// Where the file's part of the zone's log begins; `nil` where it has the log from the first
    /// entry on.
    package let start: LogCursor?
    /// Whether the zone lost what can't be told by the log: a snapshot has to be taken.
    package let wantsSnapshot: Bool
    /// What has come of a snapshot.
    package let staged: StagedSnapshot?
    /// Saves that the zone has rejected and that nobody has discarded.
    package let rejectedCount: Int
    /// Lives of the zone's log in which it has acknowledged sets that lie ahead of the cursor.
    package let epochsAhead: Set<EpochID>

    package init(
        replica: ReplicaID, cursor: LogCursor?, last: (sequence: UInt64, origin: Digest)?,
        pendingCount: Int, pendingByteCount: Int,
        epochs: Set<EpochID> = [], hasDebts: Bool = false, start: LogCursor? = nil,
        wantsSnapshot: Bool = false, staged: StagedSnapshot? = nil,
        rejectedCount: Int = 0, epochsAhead: Set<EpochID> = []
    ) {
        self.epochsAhead = epochsAhead
        self.start = start
        self.wantsSnapshot = wantsSnapshot
        self.staged = staged
        self.replica = replica
        self.cursor = cursor
        self.last = last
        self.pendingCount = pendingCount
        self.pendingByteCount = pendingByteCount
        self.epochs = epochs
        self.hasDebts = hasDebts
        self.rejectedCount = rejectedCount
    }
}

/// What the zone has said of one pushed change set.
package struct Acknowledged: Sendable {
    /// In this file's log.
    package let localPosition: Int64
    /// In the zone's log.
    package let position: UInt64
    /// As the zone's log has it.
    package let dot: Dot
    package let timestamp: HybridTimestamp
    package let digest: Digest
    /// Why the zone's log has a void in its place; `nil` where it has the set.
    package let rejection: Rejection?
    /// What the pushed set said that its author held.
    let context: CausalContext

    /// - Parameters:
    ///   - pushed: As it was when it was pushed.
    ///   - dot: As the zone's log has it; `nil` where that is as it was pushed. So are the others.
    package init(
        _ pushed: LogEntry, position: UInt64, dot: Dot? = nil, timestamp: HybridTimestamp? = nil,
        digest: Digest? = nil, rejection: Rejection? = nil
    ) {
        localPosition = pushed.localPosition
        context = pushed.changeSet.context
        self.position = position
        self.dot = dot ?? pushed.changeSet.dot
        self.timestamp = timestamp ?? pushed.changeSet.timestamp
        self.digest = digest ?? pushed.changeSet.digest
        self.rejection = rejection
    }
}
