import CMicroHTTPD
import Foundation

/// A numeric address and a port in the form of the system calls.
struct SocketAddress {
    private var storage = sockaddr_storage()
    /// The numeric address, without the port.
    let address: String
    let port: Int
    let isVersion6: Bool

    /// Parses an address.
    ///
    /// - Throws: ``HTTPServerError`` if the address is not numeric or the port is above 65535.
    init(_ address: String, port: Int) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard (0...65_535).contains(port),
            getaddrinfo(address, "\(port)", &hints, &found) == 0, let found
        else {
            throw HTTPServerError(
                "Can't listen on \(address):\(port) because that is not a numeric address and a "
                    + "port up to 65535: take 127.0.0.1:8080, for example.")
        }
        defer { freeaddrinfo(found) }
        (self.address, self.port) = (address, port)
        isVersion6 = found.pointee.ai_family == AF_INET6
        withUnsafeMutableBytes(of: &storage) { storage in
            storage.copyMemory(
                from: UnsafeRawBufferPointer(
                    start: found.pointee.ai_addr, count: Int(found.pointee.ai_addrlen)))
        }
    }

    /// The numeric form of an address of a system call; empty if there is none.
    ///
    /// An IPv4 address that arrived on an IPv6 socket has its IPv4 form.
    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address else { return "" }
        let length =
            address.pointee.sa_family == sa_family_t(AF_INET6)
            ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(length), &host, socklen_t(host.count), nil, 0,
                NI_NUMERICHOST) == 0
        else { return "" }
        let text = Self.text(host)
        return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }

    /// The numeric form that each text of the same address has; `nil` if a text is no address.
    ///
    /// An IPv4 address in the form of IPv6 has its IPv4 form.
    static func normalized(_ text: String) -> String? {
        var version4 = in_addr()
        if inet_pton(AF_INET, text, &version4) == 1 { return text }
        guard let bytes = version6(text) else { return nil }
        if isVersion4(bytes) { return bytes[12...].map { "\($0)" }.joined(separator: ".") }
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard
            inet_ntop(AF_INET6, bytes, &characters, socklen_t(characters.count)) != nil
        else { return nil }
        return Self.text(characters)
    }

    /// The address in an entry of `X-Forwarded-For`: an address, an IPv4 address with a port, or an
    /// IPv6 address in brackets, with a port or without one.
    ///
    /// - Returns: `nil` if the entry has another form.
    static func forwarded(_ entry: String) -> String? {
        if let address = normalized(entry) { return address }
        guard let colon = entry.lastIndex(of: ":"), isPort(entry[entry.index(after: colon)...])
        else { return inBrackets(entry[...]) }
        let host = entry[..<colon]
        if let address = inBrackets(host) { return address }
        return host.contains(":") ? nil : normalized(String(host))
    }

    private static func isPort(_ text: Substring) -> Bool {
        (1...5).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && Int(text).map { $0 <= 65_535 } ?? false
    }

    private static func inBrackets(_ text: Substring) -> String? {
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        let inner = String(text.dropFirst().dropLast())
        return inner.contains(":") ? normalized(inner) : nil
    }

    /// The /64 network of an IPv6 address; any other address itself.
    static func network(of address: String) -> String {
        // The address of a link has the name of the link behind a percent sign.
        guard let bytes = version6(String(address.prefix { $0 != "%" })) else { return address }
        // An IPv4 address in the form of IPv6 is one for itself.
        let kept = isVersion4(bytes) ? bytes[12...] : bytes[..<8]
        return kept.map { "\($0)" }.joined(separator: ".") + (isVersion4(bytes) ? "" : "/64")
    }

    private static func version6(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    private static func isVersion4(_ bytes: [UInt8]) -> Bool {
        bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
    }

    /// The port of a socket's own end; `nil` if it has none.
    static func localPort(of socket: Int32) -> Int? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length)
            }
        }
        // The port has the same place in the addresses of IPv4 and IPv6.
        return status == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }

    mutating func withPointer<Result>(
        _ body: (UnsafeMutableRawPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeMutablePointer(to: &storage) { try body(UnsafeMutableRawPointer($0)) }
    }
}
