import AnabranchProtocol

/// What a zone takes in at most.
public struct ZoneLimits: Hashable, Sendable {
    /// Milliseconds that a stamp may be ahead of the server's clock.
    public var clockMilliseconds = SyncProtocol.clockLimitMilliseconds
    /// Bytes of one encoded change set.
    public var changeSetBytes = SyncProtocol.largestBody
    /// Bytes of encoded change sets in one answer, whatever the client asks for.
    public var pageBytes = SyncProtocol.largestBody / 4
    /// Bytes of a request's body after decompression, as `hello` tells clients.
    public var bodyBytes = SyncProtocol.largestBody

    public init() {}
}
