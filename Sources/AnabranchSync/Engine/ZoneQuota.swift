/// A quota of a zone and what was used of it at the last `hello`.
public struct ZoneQuota: Hashable, Sendable, Codable {
    /// The limited quantity: `bytes`, `records`, `replicas`, `daily-bytes`, or one of a later
    /// server.
    public let name: String
    /// The greatest amount.
    public let limit: UInt64
    /// The used amount.
    public let used: UInt64
}
