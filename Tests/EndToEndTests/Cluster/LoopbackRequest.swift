import Foundation

/// A request for one page of a server on the loopback address.
struct LoopbackRequest {
    let port: Int
    let path: String

    private static let timeoutSeconds = 2

    /// Sends the request.
    ///
    /// - Returns: `nil` if the server does not answer within two seconds.
    func answer() -> (status: Int, body: Data)? {
        let socket = NetworkLink.makeSocket()
        defer { close(socket) }
        var timeout = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = NetworkLink.loopback(port: port)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let request = Array("GET \(path) HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        guard status == 0, send(socket, request, request.count, NetworkLink.sendFlags) > 0 else {
            return nil
        }
        return parse(received(from: socket))
    }

    private func received(from socket: Int32) -> Data {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return received }
            received += buffer[..<count]
        }
    }

    private func parse(_ bytes: Data) -> (status: Int, body: Data)? {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let words = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: " ", maxSplits: 2)
        guard words.count == 3, let status = Int(words[1]) else { return nil }
        return (status, Data(bytes[end.upperBound...]))
    }
}
