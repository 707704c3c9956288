#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where a store stands with its zone.
public struct SyncStatus: Sendable {
    public enum Activity: Hashable, Sendable {
        case idle
        case exchanging
        /// A request failed; it is sent again when this time has passed.
        case waiting(Duration)
    }

    public internal(set) var activity = Activity.idle
    /// Whether the live loop runs.
    public internal(set) var isLive = false
    /// Kept from the first sync on; `nil` before it.
    public internal(set) var server: String?
    public internal(set) var zone: String?
    /// Saves that wait to be pushed.
    public internal(set) var pendingCount = 0
    /// Bytes of their change sets.
    public internal(set) var pendingByteCount = 0
    /// How far the store has taken in the zone's log.
    public internal(set) var position: UInt64 = 0
    /// Of the log's last entry, as far as the client knows.
    public internal(set) var headPosition: UInt64 = 0
    /// When an exchange last came to its end.
    public internal(set) var lastExchange: Date?
    /// Why the zone does not take the first of the waiting saves; kept in the store until an
    /// exchange comes to its end without it.
    public internal(set) var blockedBy: SyncError?
    /// Saves that the zone has rejected for good and that nobody has saved again or discarded.
    public internal(set) var rejectedCount = 0
    /// Why the last exchange broke off; `nil` after one that came to its end. Kept in the store
    /// too, but an engine begins without it.
    public internal(set) var lastError: SyncError?

    /// Whether store and zone had the same after the last exchange, and nothing was saved since
    /// as far as the engine knows.
    public var isCaughtUp: Bool {
        lastExchange != nil && lastError == nil && blockedBy == nil && pendingCount == 0
            && position >= headPosition
    }

    package init() {}
}
