import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Stands between clients and a server on this machine and counts the bytes that clients send:
/// headers and compressed bodies, as they go over the wire.
///
/// The threads of a connection end with it; the sockets stay open until the program ends.
final class CountingRelay: Sendable {
    let address: URL
    private let listener: Int32
    private let serverPort: UInt16
    private let count = Atomic<Int>(0)

    /// The number of bytes that clients have sent.
    var sentByteCount: Int { count.load(ordering: .relaxed) }

    init(to server: URL) throws {
        guard let port = server.port else { throw Unexpected("\(server) has no port") }
        serverPort = UInt16(port)
        // A client that has gone is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let socket = try Self.newSocket()
        listener = socket
        var own = Self.localAddress(port: 0)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var ownLength = length
        let status = withUnsafeMutablePointer(to: &own) { own in
            own.withMemoryRebound(to: sockaddr.self, capacity: 1) { own in
                bind(socket, own, length) == 0 && listen(socket, 16) == 0
                    ? getsockname(socket, own, &ownLength) : -1
            }
        }
        guard status == 0, let url = URL(string: "http://127.0.0.1:\(own.sin_port.bigEndian)")
        else { throw Unexpected("a relay can't listen") }
        address = url
        Thread.detachNewThread { [self] in acceptAll() }
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let server = connectToServer() else {
                close(client)
                continue
            }
            Thread.detachNewThread { [self] in copy(from: client, to: server, isCounted: true) }
            Thread.detachNewThread { [self] in copy(from: server, to: client, isCounted: false) }
        }
    }

    private func connectToServer() -> Int32? {
        guard let server = try? Self.newSocket() else { return nil }
        var target = Self.localAddress(port: serverPort)
        let status = withUnsafePointer(to: &target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return server }
        close(server)
        return nil
    }

    /// Copies until the sender ends, and ends the receiver's side then.
    private func copy(from sender: Int32, to receiver: Int32, isCounted: Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let length = read(sender, &buffer, buffer.count)
            guard length > 0 else { break }
            if isCounted { count.add(length, ordering: .relaxed) }
            var written = 0
            while written < length {
                let status = buffer.withUnsafeBytes {
                    write(receiver, $0.baseAddress?.advanced(by: written), length - written)
                }
                guard status > 0 else { break }
                written += status
            }
        }
        shutdown(receiver, Int32(SHUT_WR))
    }

    private static func newSocket() throws -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let file = socket(AF_INET, kind, 0)
        guard file >= 0 else { throw Unexpected("there is no socket for a relay") }
        return file
    }

    private static func localAddress(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
