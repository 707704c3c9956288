package import AnabranchProtocol

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where a zone is and how one is let in: checked once, before the first byte travels.
package struct ServerAddress: Sendable {
    /// Without a slash at the end.
    package let base: String
    package let zone: ZoneName
    let token: String?

    /// - Parameters:
    ///   - server: `https://host[:port][/path]`; `http` to this machine itself, or anywhere
    ///     where `allowingPlainHTTP` says so.
    ///   - token: Without white space.
    /// - Throws: `SyncError` with code `invalidServer`, `insecureServer`, `invalidZone` or
    ///   `invalidToken`.
    package init(
        server: URL, zone: String, token: String?, allowingPlainHTTP: Bool
    ) throws(SyncError) {
        base = try Self.checkedBase(server, allowingPlainHTTP: allowingPlainHTTP)
        do throws(ProtocolError) { self.zone = try ZoneName(zone) } catch {
            throw SyncError(.invalidZone, error.message, details: ["zone": zone])
        }
        let isPlain = token.map { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } } ?? true
        guard isPlain, token != "" else {
            throw SyncError(
                .invalidToken,
                "Can't use the token because it is empty or has characters that no token has. "
                    + "Give it as `anabranchd token create` printed it.")
        }
        self.token = token
    }

    func url(_ endpoint: SyncEndpoint) -> String {
        "\(base)/v1/zones/\(zone)/\(endpoint.rawValue)"
    }

    var eventsURL: String { "\(base)/v1/zones/\(zone)/events" }

    private static func checkedBase(
        _ server: URL, allowingPlainHTTP: Bool
    ) throws(SyncError) -> String {
        let text = server.absoluteString
        let scheme = server.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", let host = server.host(), !host.isEmpty,
            server.user() == nil, server.query() == nil, server.fragment() == nil
        else {
            throw SyncError(
                .invalidServer,
                "Can't sync with \"\(text)\" because it is not of the form "
                    + "https://host[:port][/path].", details: ["server": text])
        }
        guard scheme == "https" || allowingPlainHTTP || isLoopback(host) else {
            throw SyncError(
                .insecureServer,
                "Can't sync with \(text) because the token would travel unencrypted. Use "
                    + "https, or allow plain HTTP where the network itself is trusted.",
                details: ["server": text])
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        return name == "localhost" || name == "::1" || name == "[::1]" || name == "127.0.0.1"
    }
}
