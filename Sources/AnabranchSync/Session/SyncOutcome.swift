/// The result of one exchange between a store and its zone.
public struct SyncOutcome: Sendable {
    /// The number of entries of the zone's log that were applied, the store's own ones included.
    public internal(set) var pulledChangeSets = 0
    /// The number of records that a snapshot of the zone brought, in place of the log's older
    /// entries; 0 if the exchange took none.
    public internal(set) var snapshotRecords = 0
    /// The number of saves that the zone acknowledged.
    public internal(set) var pushedChangeSets = 0
    /// The position in the zone's log up to which the store has pulled.
    public internal(set) var position: UInt64 = 0
    /// The position of the log's last entry at the end of the exchange, as far as the client knows.
    public internal(set) var headPosition: UInt64 = 0
    /// The number of change sets in the store that the zone is not known to hold, including those
    /// of other replicas.
    public internal(set) var pendingCount = 0
    /// The reason why the zone does not accept the first unpushed save, or `nil` if it refuses
    /// none.
    ///
    /// The saves stay in the store's log, in their order, and every exchange offers them again.
    public internal(set) var blockedBy: SyncError?
    /// The reason why the exchange replaced the store's records by a snapshot of the zone, or `nil`
    /// if it did not: a page of the zone's log could not be read or applied to this store.
    ///
    /// No save is lost. Saves that the zone does not have stay in the store's log and are pushed.
    public internal(set) var snapshotReason: SyncError?
    /// The path of a copy of the store's file that the exchange kept, or `nil` if it kept none.
    ///
    /// The zone was restored to a state from before the beginning of the store's log, so the store
    /// took the zone's snapshot. Records that the zone has lost, and that no other store has saved,
    /// are in the copy alone. Nothing removes the copy.
    public internal(set) var keptCopy: String?
    /// The number of saves of this store that were found to be rejected for good. They are now in
    /// `PersistentStoreCoordinator.rejectedSaves()`.
    public internal(set) var rejectedSaves = 0
    /// The result of the comparison of store and zone, or `nil` if none was requested.
    package internal(set) var verification: VerificationProgress?
    /// The number of requests, repetitions included.
    public internal(set) var requestCount = 0
    /// The number of bytes in the bodies of requests, before compression.
    public internal(set) var sentByteCount = 0
    /// The number of bytes in the bodies of answers, after decompression.
    public internal(set) var receivedByteCount = 0
    /// The time of the transactions that applied remote change sets, without that of the network.
    public internal(set) var applyDuration: Duration = .zero

    /// Indicates whether store and zone held the same change sets at the end of the exchange.
    public var isCaughtUp: Bool {
        position >= headPosition && pendingCount == 0 && blockedBy == nil
    }
}
