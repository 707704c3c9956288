import AnabranchProtocol
import AnabranchServer
import Foundation
import TestSupport
import Testing

/// The server on a free port over a temporary folder, with one token.
final class LoopbackServer {
    let url: URL
    let token: String
    let clock: SettableClock
    private let directory: TemporaryDirectory
    private let server: SyncServer

    init(
        heartbeat: Duration = .seconds(20), tls: (certificate: String, key: String)? = nil,
        clientAuthorities: String? = nil, bodyBytes: Int? = nil
    ) throws {
        directory = try TemporaryDirectory("server")
        clock = SettableClock(Int64(Date().timeIntervalSince1970 * 1000))
        let store = try ZoneStore(StoreLocation("sqlite:\(directory.path)"))
        token = try store.createToken(zone: try ZoneName("test"), role: .write).secret.text
        var options = SyncServer.Options()
        options.http.workers = 2
        options.heartbeat = heartbeat
        if let bodyBytes { options.zones.bodyBytes = bodyBytes }
        options.http.tls = tls
        options.http.clientAuthorities = clientAuthorities
        let clock = clock
        server = SyncServer(
            store, options: options,
            log: RequestLog(wallMilliseconds: { clock.milliseconds }, sink: { _ in }))
        let scheme = tls == nil ? "http" : "https"
        url = try #require(URL(string: "\(scheme)://127.0.0.1:\(try server.start())"))
    }

    deinit { server.stop() }

    func stop() { server.stop() }

    /// Has the server read its certificate and key again.
    func reload(certificateFile: String, keyFile: String) throws {
        var options = SyncServer.Options()
        options.certificate = try ServerCertificate(
            certificateFile: certificateFile, keyFile: keyFile)
        try server.reload(options)
    }
}

/// Takes connections and says nothing.
final class SilentServer {
    let url: URL
    private let descriptor: Int32

    /// - Parameter byteCount: How many bytes of each connection are read before it is closed; `nil`
    ///   for a server that reads nothing and closes no connection.
    init(closingAfter byteCount: Int? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(isBound)
        url = try #require(URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"))
        guard let byteCount else { return }
        Thread.detachNewThread { Self.closeConnections(of: descriptor, after: byteCount) }
    }

    private static func closeConnections(of descriptor: Int32, after byteCount: Int) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let connection = accept(descriptor, nil, nil), connection >= 0 {
            var left = byteCount
            while left > 0, case let count = read(connection, &buffer, buffer.count), count > 0 {
                left -= count
            }
            close(connection)
        }
    }

    deinit {
        // This ends `accept`.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
