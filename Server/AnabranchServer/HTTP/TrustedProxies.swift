/// The proxies that a server believes the address of a client, which they send in the header
/// `X-Forwarded-For`.
///
/// A client could write the header itself, so only the last address that no trusted proxy has is
/// believed, and only from a trusted proxy. Some proxies add the port of the client, which is left
/// out.
public struct TrustedProxies: Hashable, Sendable {
    /// The numeric addresses of the proxies, in the form that the system gives them.
    public let addresses: Set<String>

    /// Creates a set of proxies; none by default.
    public init(_ addresses: Set<String> = []) {
        self.addresses = Set(addresses.map { SocketAddress.normalized($0) ?? $0 })
    }

    /// Indicates whether the other end of a connection is a proxy.
    func includes(_ peer: String) -> Bool { addresses.contains(peer) }

    /// The address of the client of a request.
    ///
    /// - Parameter peer: The address of the other end of the connection.
    func clientAddress(_ peer: String, _ headers: HTTPHeaders) -> String {
        guard addresses.contains(peer) else { return peer }
        let hops = headers[all: "X-Forwarded-For"].joined(separator: ",")
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { SocketAddress.forwarded($0.filter { $0 != " " && $0 != "\t" }) }
        // An entry that is no address hides what is before it.
        let client = hops.last { $0.map { !addresses.contains($0) } ?? true }
        return client.flatMap(\.self) ?? peer
    }

    /// Indicates whether a text is a numeric address.
    public static func isAddress(_ text: String) -> Bool { SocketAddress.normalized(text) != nil }
}
