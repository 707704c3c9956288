/// What one exchange came to.
public struct SyncOutcome: Sendable {
    /// Entries of the zone's log that were taken in, the store's own among them.
    public internal(set) var pulledChangeSets = 0
    /// Saves that the zone acknowledged.
    public internal(set) var pushedChangeSets = 0
    /// How far the store has taken in the zone's log.
    public internal(set) var position: UInt64 = 0
    /// Of the log's last entry when the exchange ended, as far as the client knows.
    public internal(set) var headPosition: UInt64 = 0
    /// Saves that wait in the store.
    public internal(set) var pendingCount = 0
    /// Why the zone does not take the first of the waiting saves; `nil` where nothing is refused.
    ///
    /// The saves stay in the store's log, in order, and are offered again by every exchange.
    public internal(set) var blockedBy: SyncError?
    /// Saves of this store that turned out to be rejected for good, now in
    /// `PersistentStoreCoordinator.rejectedSaves()`.
    public internal(set) var rejectedSaves = 0
    /// What the comparison of store and zone came to; `nil` where none was asked for.
    package internal(set) var verification: VerificationProgress?
    /// How often the server was asked, repetitions counted.
    public internal(set) var requestCount = 0
    /// Of the bodies of requests, before they were compressed.
    public internal(set) var sentByteCount = 0
    /// Of the bodies of answers, uncompressed.
    public internal(set) var receivedByteCount = 0
    /// Spent in the transactions that applied what came; what the network took is not in it.
    public internal(set) var applyDuration: Duration = .zero

    /// Whether store and zone had the same when the exchange ended.
    public var isCaughtUp: Bool {
        position >= headPosition && pendingCount == 0 && blockedBy == nil
    }

    package init() {}
}
