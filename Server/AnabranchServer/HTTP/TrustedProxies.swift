/// The proxies that a server believes the address of a client, which they send in the header
/// `X-Forwarded-For`.
///
/// A client could write the header itself, so only the last address that no trusted proxy has is
/// believed, and only from a trusted proxy.
public struct TrustedProxies: Hashable, Sendable {
    /// The numeric addresses of the proxies.
    public var addresses: Set<String>

    /// Creates a set of proxies; none by default.
    public init(_ addresses: Set<String> = []) { self.addresses = addresses }

    /// The address of the client of a request.
    ///
    /// - Parameter peer: The address of the other end of the connection.
    func clientAddress(_ peer: String, _ headers: HTTPHeaders) -> String {
        guard addresses.contains(peer) else { return peer }
        let hops = headers[all: "X-Forwarded-For"].joined(separator: ",")
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        guard let client = hops.last(where: { !addresses.contains($0) }),
            Self.isAddress(client)
        else { return peer }
        return client
    }

    /// Indicates whether a text can be a numeric address.
    public static func isAddress(_ text: String) -> Bool {
        (1...45).contains(text.utf8.count) && text.utf8.allSatisfy(isAddressByte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte.lowercasedASCII
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }
}
