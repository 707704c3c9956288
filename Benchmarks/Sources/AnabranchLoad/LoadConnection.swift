import AnabranchProtocol
import Foundation

/// A blocking HTTP connection to the daemon, which stays open between requests.
final class LoadConnection {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size)
            }
        }
        guard result == 0 else { throw LoadError("Can't connect to port \(port).") }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one,
            socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Sends a message of the protocol and returns the body of the answer.
    func post(_ page: String, _ body: [UInt8], to zone: LoadZone) throws -> [UInt8] {
        let head = """
            POST /v1/zones/\(zone.name)/\(page) HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(zone.token)\r
            Content-Type: \(SyncProtocol.mediaType)\r
            Content-Length: \(body.count)\r
            \r\n
            """
        try send(Array(head.utf8) + body)
        return try receive()
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw LoadError("The daemon closed a connection.") }
            sent += count
        }
    }

    private func receive() throws -> [UInt8] {
        var end: Int?
        while end == nil {
            end = buffer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            if end == nil { try fill() }
        }
        let head = String(decoding: buffer[..<(end ?? 0)], as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 200") else {
            throw LoadError("The daemon answered \(head.prefix(60)).")
        }
        let length =
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } } ?? 0
        while buffer.count < (end ?? 0) + length { try fill() }
        defer { buffer.removeFirst((end ?? 0) + length) }
        return Array(buffer[(end ?? 0)..<(end ?? 0) + length])
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { throw LoadError("The daemon closed a connection.") }
        buffer += chunk[..<count]
    }
}
