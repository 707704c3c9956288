/// The numbers of requests that a server answers in a minute.
public struct RateLimits: Hashable, Sendable {
    /// Requests of one token or subject in a minute; `nil` if there is no limit.
    public var perToken: Int?
    /// Requests from one address in a minute; `nil` if there is no limit.
    ///
    /// An IPv6 client has at least 2^64 addresses, so the addresses of one /64 network count as
    /// one.
    public var perAddress: Int?

    /// Creates limits; none by default.
    public init(perToken: Int? = nil, perAddress: Int? = nil) {
        self.perToken = perToken
        self.perAddress = perAddress
    }
}
