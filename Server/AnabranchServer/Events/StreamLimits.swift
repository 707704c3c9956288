/// The greatest numbers of event streams that are open at the same time.
///
/// Whatever they are, streams of one token take at most half of a server's connections, those of
/// one zone three quarters, and all together four fifths, so that others are served.
public struct StreamLimits: Hashable, Sendable {
    /// Streams of one token or subject.
    public var perToken = 2_500
    /// Streams of one zone.
    public var perZone = 5_000
    /// All streams of the server.
    var inAll = Int.max

    /// The seconds after which a refused client may try again; it polls meanwhile.
    static let retrySeconds = 60

    /// Creates the default limits.
    public init() {}

    /// The limits for a server with so many connections.
    func fitting(connections: Int) -> StreamLimits {
        var limits = self
        limits.perToken = min(perToken, max(connections / 2, 1))
        limits.perZone = min(perZone, max(connections / 4 * 3, 1))
        limits.inAll = max(connections - connections / 5, 1)
        return limits
    }
}
