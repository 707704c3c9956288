public import AnabranchProtocol

/// Keeps tokens, their secrets as digests only.
public protocol TokenStore: AnyObject, Sendable {
    /// - Returns: The token and its secret, which nobody can ask for again.
    func create(zone: ZoneName, role: TokenRole) throws -> (token: Token, secret: TokenSecret)

    /// - Parameter zone: `nil` for the tokens of all zones.
    func tokens(zone: ZoneName?) throws -> [Token]

    /// - Returns: `nil` where there is no token of that number. One that was revoked before keeps
    ///   its time.
    func revoke(_ number: Int64) throws -> Token?

    /// - Parameter text: As a client sends it.
    /// - Returns: The token, unless it is unknown or revoked.
    func token(matching text: String) throws -> Token?

    func close()
}
