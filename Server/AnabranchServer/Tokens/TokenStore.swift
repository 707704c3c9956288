public import AnabranchProtocol

/// Stores tokens, with only the digests of their secrets.
public protocol TokenStore: AnyObject, Sendable {
    /// Creates a token.
    ///
    /// - Parameter expires: When the token ends, in milliseconds since 1970-01-01 UTC; `nil` if it
    ///   does not end.
    ///
    /// - Returns: The token and its secret, which cannot be read again.
    func create(
        for zones: ZonePattern, role: TokenRole, expires: Int64?
    ) throws -> (token: AccessToken, secret: TokenSecret)

    /// The tokens that give access to a zone, in the order of their numbers.
    ///
    /// - Parameter zone: `nil` for the tokens of all zones.
    func tokens(zone: ZoneName?) throws -> [AccessToken]

    /// Revokes a token. A token that was revoked before keeps its time.
    ///
    /// - Returns: `nil` if there is no token of that number.
    func revoke(_ number: Int64) throws -> AccessToken?

    /// Finds the token with a secret.
    ///
    /// - Parameter text: The secret as a client sends it.
    ///
    /// - Returns: `nil` if the token is unknown or revoked. It may have expired.
    func token(matching text: String) throws -> AccessToken?

    /// All tokens with the digests of their secrets, for a copy.
    func stored() throws -> [StoredToken]

    /// Inserts tokens of a copy. A token that is here already is revoked if the copy is.
    ///
    /// A token keeps its number unless another one has it.
    func add(_ tokens: [StoredToken]) throws

    /// Writes pending data and closes the store.
    func close()
}
