import CMicroHTTPD
import Foundation

/// A numeric address and a port in the form of the system calls.
struct SocketAddress {
    private var storage = sockaddr_storage()
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
        let text = String(
            decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }

    mutating func withPointer<Result>(
        _ body: (UnsafeMutableRawPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeMutablePointer(to: &storage) { try body(UnsafeMutableRawPointer($0)) }
    }
}
