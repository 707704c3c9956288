package import AnabranchProtocol

/// The rights that a token of an identity provider gives.
package struct IdentityGrant: Hashable, Sendable {
    package let subject: String
    /// The end of the token, in milliseconds since 1970-01-01 UTC.
    package let expires: Int64
    private let rights: [Right]

    private struct Right: Hashable, Sendable {
        var zones: ZonePattern
        var role: TokenRole
    }

    /// Reads the claim that lists zones and roles: an object with `zones` and `role`, or a list of
    /// such objects. `zones` is one pattern or a list of them.
    ///
    /// - Throws: ``IdentityKeyError`` with the part that is malformed.
    init(subject: String, expires: Int64, claim: Any?) throws(IdentityKeyError) {
        self.subject = subject
        self.expires = expires
        let objects = (claim as? [Any]) ?? claim.map { [$0] } ?? []
        var rights: [Right] = []
        for object in objects {
            guard let object = object as? [String: Any],
                let role = (object["role"] as? String).flatMap({ TokenRole(rawValue: $0) }),
                let patterns = (object["zones"] as? String).map({ [$0] })
                    ?? object["zones"] as? [String]
            else {
                throw IdentityKeyError(
                    "its claim of zones is not an object with \"zones\" and a \"role\" of read, "
                        + "write or admin")
            }
            for text in patterns {
                guard let zones = try? ZonePattern(text) else {
                    throw IdentityKeyError("its claim has zones that no zone can match")
                }
                rights.append(Right(zones: zones, role: role))
            }
        }
        self.rights = rights
    }

    /// The greatest role in a zone; `nil` if the token gives no right to it.
    package func role(in zone: ZoneName) -> TokenRole? {
        rights.filter { $0.zones.includes(zone) }.map(\.role).max()
    }
}
