import Foundation

/// A socket of the test that listens on a free loopback port, as a service manager's does.
final class LoopbackSocket {
    let descriptor: Int32
    let port: Int

    /// - Parameter isVersion6: True for the loopback address of IPv6.
    init(isVersion6: Bool = false) throws {
        descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        port = try isVersion6 ? Self.listen6(descriptor) : Self.listen4(descriptor)
    }

    private static func listen4(_ descriptor: Int32) throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        try listen(descriptor, &address)
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    private static func listen6(_ descriptor: Int32) throws -> Int {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, "::1", &address.sin6_addr)
        try listen(descriptor, &address)
        return Int(in_port_t(bigEndian: address.sin6_port))
    }

    /// Binds the socket and reads the address with the port that it got.
    private static func listen<Address>(_ descriptor: Int32, _ address: inout Address) throws {
        var size = socklen_t(MemoryLayout<Address>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) + Foundation.listen(descriptor, 16)
                    + getsockname(descriptor, address, &size)
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }
}

/// A client of HTTP that connects at once and may read the answer later.
final class LoopbackClient {
    private let descriptor: Int32

    /// - Parameters:
    ///   - address: The client's own address; all that begin with 127 are of this machine.
    ///   - seconds: How long to wait for the server to take or send anything.
    init(port: Int, from address: String = "127.0.0.1", patience seconds: Int = 60) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let (own, server) = (Self.address(address, port: 0), Self.address("127.0.0.1", port: port))
        guard call(bind, own) == 0, call(connect, server) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
    }

    deinit { close(descriptor) }

    private static func address(_ name: String, port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(name)
        address.sin_port = in_port_t(port).bigEndian
        return address
    }

    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ address: sockaddr_in
    ) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    func get(_ path: String, token: String? = nil, closing: Bool = true) {
        let right = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let end = closing ? "Connection: close\r\n" : ""
        send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(right)\(end)\r\n".utf8)
    }

    /// Sends bytes.
    ///
    /// - Returns: `false` if the server has closed the connection, or takes nothing any more.
    @discardableResult func send(_ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a message of the protocol.
    func post(_ path: String, _ body: [UInt8], token: String, encoding: String? = nil) {
        let coding = encoding.map { "Content-Encoding: \($0)\r\n" } ?? ""
        let head =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Type: application/vnd.anabranch.sync\r\n\(coding)"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        send(Array(head.utf8) + body)
    }

    /// Reads the answer up to the end of the connection, and returns its body.
    func body() -> [UInt8] { answer().body }

    /// Reads the answer up to the end of the connection.
    ///
    /// - Returns: The status, `nil` without an answer; the status line and headers; the body.
    func answer() -> (status: Int?, head: String, body: [UInt8]) {
        var received: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0 {
            received += bytes[..<count]
        }
        let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? received.count
        return (
            Self.status(in: received), String(decoding: received[..<end], as: UTF8.self),
            Array(received[end...])
        )
    }

    /// The number in a status line, as in `HTTP/1.1 200 OK`.
    private static func status(in bytes: [UInt8]) -> Int? {
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    /// Reads the status of the answer; `nil` if the connection ends without one.
    func status() -> Int? { Self.status(in: Array(statusLine().utf8)) }

    /// Reads the status line; empty if the connection ends without an answer.
    func statusLine() -> String {
        var received: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while !received.contains(UInt8(ascii: "\r")) {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            received += bytes[..<count]
        }
        return String(decoding: received.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
}

/// The socket on which a service manager takes reports of states.
final class ReportSocket {
    let path: String
    private let descriptor: Int32

    /// - Parameter path: The socket's path; a name that begins with `@` is in Linux's abstract
    ///   namespace.
    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(2 + name.count)
        let status = withUnsafePointer(to: &address) { [descriptor] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Waits for the next report; empty if there is none for a minute.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
