import Foundation
import Testing

/// A loopback connection that sends any bytes: a client that breaks the protocol.
final class RawClient {
    private let socket: Int32

    init(port: Int, timeoutSeconds: Int = 60) throws {
        #if canImport(Glibc)
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0, "can't connect")
    }

    deinit { close(socket) }

    /// Makes the end of this client a reset, which discards what is under way.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(
                    socket, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Returns the bytes until the peer closed, `marker` was seen, or the time-out passed without a
    /// byte.
    func receive(until marker: String? = nil) -> (bytes: [UInt8], isClosed: Bool) {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count == 0 { return (received, true) }
            if count < 0 { return (received, errno == ECONNRESET) }
            received += chunk[..<count]
            if let marker, received.firstRange(of: Array(marker.utf8)) != nil {
                return (received, false)
            }
        }
    }

    /// Returns the status line and headers of one answer, as to HEAD. It ignores the bytes after
    /// them.
    func receiveHead() -> RawResponse? {
        let bytes = receive(until: "\r\n\r\n").bytes
        return RawResponse(bytes, hasBody: false)
    }

    func isClosedWithin(milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) <= 0
    }

    /// Returns one answer with its body. The connection may stay open.
    func receiveResponse() throws -> RawResponse {
        var bytes: [UInt8] = []
        while true {
            if let response = RawResponse(bytes) { return response }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &chunk, chunk.count, 0)
            try #require(count > 0, "the connection ended before the answer")
            bytes += chunk[..<count]
        }
    }
}

struct RawResponse {
    var status: Int
    var headers: [String: String] = [:]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The error code in the body.
    var code: String? {
        struct Envelope: Decodable {
            struct Content: Decodable { var code: String }
            var error: Content
        }
        return try? JSONDecoder().decode(Envelope.self, from: Data(body)).error.code
    }

    /// - Returns: `nil` if the bytes are not a whole answer with a length.
    init?(_ bytes: [UInt8], hasBody: Bool = true) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        self.status = status
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...])
                .trimmingCharacters(in: .whitespaces)
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        guard bytes.count - end.upperBound >= length else { return nil }
        body = Array(bytes[end.upperBound..<end.upperBound + length])
    }
}
