import Foundation

/// A JSON Web Token, with a signature that is not checked yet.
///
/// Source: RFC 7515, section 3.1, and RFC 7519.
struct JSONWebToken {
    /// The head: which algorithm and key sign the token.
    struct Head: Decodable {
        var alg: String
        var kid: String?
        /// Extensions that a reader must understand; this one understands none.
        var crit: [String]?
    }

    static let longest = 8192

    let head: Head
    let claims: [String: Any]
    let signature: [UInt8]
    /// The bytes that the signature covers.
    let message: [UInt8]

    /// Parses a token in its compact form; `nil` if it is malformed.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let headBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let head = try? JSONDecoder().decode(Head.self, from: Data(headBytes)),
            let object = try? JSONSerialization.jsonObject(with: Data(claimBytes)),
            let claims = object as? [String: Any]
        else { return nil }
        self.head = head
        self.claims = claims
        self.signature = signature
        message = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// The text of a claim; `nil` if it is missing or no text.
    func text(_ claim: String) -> String? { claims[claim] as? String }

    /// The seconds since 1970-01-01 UTC of a claim; `nil` if it is missing.
    ///
    /// - Throws: ``IdentityKeyError`` if it is no number.
    func time(_ claim: String) throws(IdentityKeyError) -> Double? {
        guard let value = claims[claim] else { return nil }
        guard let number = value as? NSNumber, !(value is Bool) else {
            throw IdentityKeyError("its claim \"\(claim)\" is not a number")
        }
        return number.doubleValue
    }

    /// Indicates whether the token names an issuer, byte by byte.
    func isIssued(by issuer: String) -> Bool {
        text("iss").map { $0.utf8.elementsEqual(issuer.utf8) } ?? false
    }

    /// Indicates whether the token names an audience, alone or in a list, byte by byte.
    func isFor(_ audience: String) -> Bool {
        let audiences = text("aud").map { [$0] } ?? (claims["aud"] as? [String]) ?? []
        return audiences.contains { $0.utf8.elementsEqual(audience.utf8) }
    }
}
