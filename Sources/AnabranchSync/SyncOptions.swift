/// How a ``SyncEngine`` goes about it.
public struct SyncOptions: Sendable {
    public var retry = RetryPolicy()
    /// Of the connection to the server.
    public var connectTimeout: Duration = .seconds(10)
    /// Of one request and its response. A time-out halves what is asked for next.
    public var requestTimeout: Duration = .seconds(60)
    /// How long the live event stream may be silent before it counts as broken. The server's
    /// heartbeats come more often.
    public var eventSilence: Duration = .seconds(60)
    /// How often the live loop looks for saves to push, of this process and of others.
    public var saveInterval: Duration = .milliseconds(250)
    /// Bytes of change sets in one pull or push.
    public var batchBytes = 1 << 20
    /// Bytes of a response, after decompression; a larger one is refused.
    public var largestResponse = (64 << 20) + (64 << 10)
    /// Whether a token may travel unencrypted to another machine.
    public var allowsPlainHTTP = false
    /// Whether the store leaves the zone that it has followed for the one that is named now, on
    /// whatever server, and whatever that zone holds already: the other stores may have moved
    /// before. What the new zone lacks of the store's change sets, its own and those of others, is
    /// sent there, and the store keeps to it from then on.
    ///
    /// Nothing is lost, but it can't be undone: two zones that were strangers become one.
    public var movesZone = false
    /// A file of certificates in PEM that are trusted instead of the system's.
    public var certificateAuthorities: String?

    public init() {}
}

extension SyncOptions {
    var sessionLimits: SessionLimits {
        var limits = SessionLimits()
        limits.pageBytes = max(batchBytes, limits.leastBytes)
        limits.batchBytes = max(batchBytes, limits.leastBytes)
        limits.retry = retry
        limits.mayChangeLog = movesZone
        return limits
    }
}
