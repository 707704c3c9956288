public import AnabranchProtocol

/// What a token allows, each role all that the ones before it allow.
public enum TokenRole: String, Sendable, CaseIterable, Comparable {
    /// Pull, listen, ask.
    case read
    /// And push.
    case write
    /// And what concerns the zone as a whole.
    case admin

    public static func < (left: TokenRole, right: TokenRole) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .read: 0
        case .write: 1
        case .admin: 2
        }
    }
}

/// A right to one zone. Its secret is known to its holder alone.
public struct Token: Hashable, Sendable {
    public var number: Int64
    public var zone: ZoneName
    public var role: TokenRole
    /// Milliseconds since 1970-01-01 UTC, as are the others.
    public var created: Int64
    /// Written from time to time; `nil` before the first use.
    public var lastUsed: Int64?
    public var revoked: Int64?
}
