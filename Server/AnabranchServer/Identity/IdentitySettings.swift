/// An identity provider, with tokens that a server accepts beside its own.
public struct IdentitySettings: Hashable, Sendable {
    /// The issuer that a token must name in `iss`.
    public var issuer: String
    /// The audience that a token must name in `aud`.
    public var audience: String
    /// The path of the provider's keys: a JSON Web Key Set, or public keys in PEM.
    public var keyFile: String
    /// The name of the claim that lists zones and roles.
    public var claim = "anabranch"
    /// The seconds by which the clocks of the provider and the server may differ.
    public var leewaySeconds = 60

    /// Creates settings with the usual claim and leeway.
    public init(issuer: String, audience: String, keyFile: String) {
        self.issuer = issuer
        self.audience = audience
        self.keyFile = keyFile
    }
}
