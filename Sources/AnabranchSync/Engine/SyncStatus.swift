#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a store in relation to its zone.
public struct SyncStatus: Sendable {
    /// The present work of an engine.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Activity: Hashable, Sendable {
        /// No exchange is running.
        case idle
        /// An exchange is running.
        case exchanging
        /// A request failed, for the reason ``SyncStatus/delayedBy``. It is sent again after this
        /// time.
        case waiting(Duration)
        /// Nothing, because the zone needs at least this version of the app. The engine sends and
        /// receives nothing more. It goes on by itself once the app has that version.
        case updateRequired(minimum: Int)
    }

    /// The present work of the engine.
    public internal(set) var activity = Activity.idle
    /// The reason why the engine waits before it sends a request again, or `nil` if it does not
    /// wait.
    public internal(set) var delayedBy: SyncError?
    /// Indicates whether the live loop is running.
    public internal(set) var isLive = false
    /// The address of the server, stored by the first sync; `nil` before it.
    public internal(set) var server: String?
    /// The name of the zone, stored by the first sync; `nil` before it.
    public internal(set) var zone: String?
    /// The file of the certificate authorities that are kept with the server's address; `nil` if
    /// those of the system are trusted.
    public internal(set) var certificateAuthorities: String?
    /// The files of the client's certificate that are kept with the server's address.
    public internal(set) var clientCertificate: ClientCertificate?
    /// The number of change sets in the store that the zone is not known to hold, including those
    /// of other replicas.
    public internal(set) var pendingCount = 0
    /// The number of bytes of the change sets that ``pendingCount`` counts.
    public internal(set) var pendingByteCount = 0
    /// The position in the zone's log up to which the store has pulled.
    public internal(set) var position: UInt64 = 0
    /// The position of the log's last entry, as far as the client knows.
    public internal(set) var headPosition: UInt64 = 0
    /// The time when the last complete exchange ended. The store's file has it to the minute, for
    /// other processes and later engines.
    public internal(set) var lastExchange: Date?
    /// The reason why the zone does not accept the first unpushed save. It stays in the store until
    /// a complete exchange meets no refusal.
    public internal(set) var blockedBy: SyncError?
    /// The number of saves that the zone has rejected for good and that were neither redone nor
    /// discarded.
    public internal(set) var rejectedCount = 0
    /// The least version of the app that may sync with the zone, or `nil` if none is set.
    public internal(set) var minimumVersion: Int?
    /// The quotas of the zone, as the server told them last; empty if there are none.
    public internal(set) var quotas: [ZoneQuota] = []
    /// The reason why the last exchange failed, or `nil` if it was complete. The store keeps it for
    /// other processes, but a new engine begins without it.
    public internal(set) var lastError: SyncError?

    /// The entities of both sides, if the zone has records and none of them is of an entity of the
    /// store's model; otherwise `nil`.
    public internal(set) var foreignZone: ForeignZone?
    /// The reason why the zone's live events do not arrive, so that the live loop polls; `nil` if
    /// they arrive, or if no live loop has run.
    ///
    /// A proxy may refuse the event stream, or buffer it, while it passes all other requests. The
    /// store keeps the reason for other processes until events arrive again, but a new engine
    /// begins without it.
    public internal(set) var missingEvents: SyncError?
    /// The longest time to the next poll, or `nil` if the live loop does not poll; see
    /// ``SyncOptions/pollInterval``.
    public internal(set) var pollInterval: Duration?

    /// Indicates whether store and zone held the same change sets after the last exchange, and the
    /// engine knows of no later save.
    public var isCaughtUp: Bool {
        lastExchange != nil && lastError == nil && blockedBy == nil && pendingCount == 0
            && position >= headPosition
    }
}
