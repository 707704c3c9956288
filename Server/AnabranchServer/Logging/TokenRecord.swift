/// A change of the access tokens, made by a command on the server's machine.
public struct TokenRecord: Sendable {
    /// The kind of change.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Event: String, Sendable {
        /// A token was created.
        case create = "token-create"
        /// A token was revoked.
        case revoke = "token-revoke"
    }

    /// The kind of change.
    public var event: Event
    /// The token, as it is after the change.
    public var token: AccessToken
    /// The name or number of the account of the operating system that ran the command.
    public var account: String

    /// Creates a record.
    public init(_ event: Event, of token: AccessToken, by account: String) {
        self.event = event
        self.token = token
        self.account = account
    }
}
