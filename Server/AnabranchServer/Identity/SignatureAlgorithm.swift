/// The algorithms that sign an accepted token.
///
/// Source: RFC 7518, section 3.1, and RFC 8037.
enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSA with PKCS #1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// ECDSA with the curve P-256 and SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
