import AnabranchProtocol
import Foundation
import Synchronization

/// Decides by the headers of a request what it may do in a zone.
package final class AccessControl: Sendable {
    private let tokens: any TokenStore
    private let identity: Mutex<IdentityProvider?>
    private let report: @Sendable (String) -> Void
    private let wallMilliseconds: @Sendable () -> Int64

    /// - Parameter report: Gets what the operator should know about the provider's keys.
    package init(
        tokens: any TokenStore, identity: IdentityProvider? = nil,
        report: @escaping @Sendable (String) -> Void,
        wallMilliseconds: @escaping @Sendable () -> Int64
    ) {
        self.tokens = tokens
        self.identity = Mutex(identity)
        self.report = report
        self.wallMilliseconds = wallMilliseconds
    }

    /// Accepts the tokens of another identity provider from now on; `nil` for none.
    func setIdentity(_ provider: IdentityProvider?) { identity.withLock { $0 = provider } }

    /// Checks that a request may act in a zone.
    ///
    /// - Parameter role: The least role that the request needs.
    ///
    /// - Returns: The holder of the right, and the greatest role that it gives in the zone.
    ///
    /// - Throws: `unauthorized` if the request has no valid token, `forbidden` if its token is for
    ///   other zones or a lesser role.
    func check(
        _ head: HTTPRequestHead, in zone: ZoneName, role: TokenRole
    ) throws(ProtocolError) -> (holder: AccessHolder, role: TokenRole) {
        let text = try Self.bearer(head)
        let provider = identity.withLock { $0 }
        if let provider, !text.hasPrefix(TokenSecret.prefix) {
            let grant = try provider.grant(for: text, report: report)
            let granted = try Self.check(grant.role(in: zone), in: zone, isAtLeast: role)
            return (.subject(grant.subject), granted)
        }
        let token = try token(matching: text, for: zone)
        let granted = try Self.check(
            token.zones.includes(zone) ? token.role : nil, in: zone, isAtLeast: role)
        return (.token(token.number), granted)
    }

    private func token(
        matching text: String, for zone: ZoneName
    ) throws(ProtocolError) -> AccessToken {
        let found: AccessToken?
        do { found = try tokens.token(matching: text) } catch {
            throw ProtocolError(serving: zone, error)
        }
        guard let token = found else {
            throw Self.unauthorized(
                "The token is not known here, or was revoked: get another.")
        }
        if let end = token.expires, end <= wallMilliseconds() {
            let time = Date(timeIntervalSince1970: Double(end) / 1000).formatted(.iso8601)
            throw Self.unauthorized("The token expired at \(time): get another.")
        }
        return token
    }

    /// A number that the requests with one token share, however their header is written.
    static func client(of head: HTTPRequestHead) -> Int { (try? bearer(head)).hashValue }

    private static func bearer(_ head: HTTPRequestHead) throws(ProtocolError) -> String {
        guard let field = head.headers["Authorization"] else {
            throw unauthorized(
                "The header Authorization is missing: send \"Bearer\" and a token.",
                ["reason": "missing"])
        }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, String(parts[0]).headerToken == "bearer" else {
            throw unauthorized("The header Authorization is not \"Bearer\" and a token.")
        }
        return String(parts[1])
    }

    /// Checks the role that a token gives in a zone; `nil` if it gives none.
    private static func check(
        _ role: TokenRole?, in zone: ZoneName, isAtLeast needed: TokenRole
    ) throws(ProtocolError) -> TokenRole {
        guard let role else {
            throw ProtocolError(.forbidden, "The token is for another zone than \(zone).")
        }
        guard role < needed else { return role }
        throw ProtocolError(
            .forbidden,
            "The token may only \(role.rawValue): get one that may \(needed.rawValue).",
            details: ["role": role.rawValue])
    }

    private static func unauthorized(
        _ message: String, _ details: [String: String] = [:]
    ) -> ProtocolError {
        ProtocolError(
            .unauthorized, message,
            details: details.merging(["header": "Authorization"]) { _, new in new })
    }
}
