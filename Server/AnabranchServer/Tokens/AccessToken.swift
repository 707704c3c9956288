package import AnabranchReplication

/// The rights of a token; each role includes the roles before it.
///
/// It is closed: only a new major version adds a case.
public enum TokenRole: String, Sendable, CaseIterable, Comparable {
    /// Pull, listen for events, and read a zone's description and hash.
    case read
    /// Push change sets.
    case write
    /// Act on the zone as a whole.
    case admin

    /// Orders roles by their rights.
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

/// A token with the digest of its secret.
public struct StoredToken: Hashable, Sendable {
    /// The token.
    public var token: AccessToken
    package var hash: Digest
}

/// A token: a right to zones. Only the client that holds it knows its secret.
public struct AccessToken: Hashable, Sendable {
    /// The number of the token.
    public var number: Int64
    /// The zones to which the token gives access.
    public var zones: ZonePattern
    /// The rights of the token.
    public var role: TokenRole
    /// When the token was created, in milliseconds since 1970-01-01 UTC.
    public var created: Int64
    /// When the token ends, in milliseconds since 1970-01-01 UTC; `nil` if it does not end.
    public var expires: Int64?
    /// When the token was last used, in milliseconds; `nil` before the first use.
    ///
    /// It is written at most once a minute.
    public var lastUsed: Int64?
    /// When the token was revoked, in milliseconds; `nil` if it is valid.
    public var revoked: Int64?
}
