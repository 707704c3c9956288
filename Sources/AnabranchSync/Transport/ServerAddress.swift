package import AnabranchProtocol

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The address of a zone and the token for it. Both are checked before anything is sent.
package struct ServerAddress: Sendable {
    /// The server's address without a slash at its end.
    package let base: String
    package let zone: ZoneName
    let token: String?

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - server: `https://host[:port][/path]`. The scheme `http` is allowed for this machine
    ///     itself, and everywhere if `allowingPlainHTTP` is `true`.
    ///   - token: A token without white space, or `nil`.
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
                "Can't use the token because it is empty or has invalid characters. "
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
            let shown = withoutPassword(text)
            throw SyncError(
                .invalidServer,
                "Can't sync with \"\(shown)\" because it is not of the form "
                    + "https://host[:port][/path].", details: ["server": shown])
        }
        guard scheme == "https" || allowingPlainHTTP || isLoopback(host) else {
            throw SyncError(
                .insecureServer,
                "Can't sync with \(text) because the token would be sent unencrypted. Use "
                    + "https, or allow plain HTTP if the network itself is trusted.",
                details: ["server": text])
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// The text of an address without the user and the password that it may have, to be shown.
    package static func withoutPassword(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        return "…" + text[at...]
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        return name == "localhost" || name == "::1" || name == "[::1]" || name == "127.0.0.1"
    }
}
