import CMicroHTTPD
import Foundation

extension HTTPServerOptions {
    /// Accepts connections from a socket that listens already, instead of opening one.
    ///
    /// The socket is bound to a port already, so a process can serve a port that it has no right
    /// to open, and connections wait in the socket while no process serves it. Sets ``address``
    /// and ``port`` to those of the socket. The server closes its descriptor when it stops, and
    /// leaves the socket open for other processes that hold it.
    ///
    /// - Parameter socket: A descriptor of a TCP socket that listens. It becomes non-blocking, and
    ///   is not passed to programs that this process starts.
    ///
    /// - Throws: ``HTTPServerError`` if the descriptor is no TCP socket that listens.
    public mutating func listen(onSocket socket: Int32) throws {
        guard Self.isListening(socket), let bound = SocketAddress(boundTo: socket) else {
            throw HTTPServerError(
                "Can't listen on the descriptor \(socket) because it is not a TCP socket that "
                    + "listens: ListenStream= of the socket unit takes an address and a port.")
        }
        (address, port) = (bound.address, bound.port)
        // Several threads accept from the socket, so a thread must not block if another one was
        // faster.
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        listeningSocket = socket
    }

    private static func isListening(_ socket: Int32) -> Bool {
        func option(_ name: Int32) -> Int32? {
            var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            let isRead = getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0
            return isRead ? value : nil
        }
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        return option(SO_TYPE) == stream && option(SO_ACCEPTCONN) != 0
    }
}

extension SocketAddress {
    /// Reads the numeric address and the port to which a socket is bound.
    ///
    /// - Returns: `nil` if the descriptor is no socket, or a socket without a port.
    init?(boundTo socket: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let isKnown = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(socket, address, &size) == 0
                    && [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
                    && getnameinfo(
                        address, size, &host, socklen_t(host.count), &service,
                        socklen_t(service.count), NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard isKnown, let port = Int(Self.text(service)) else { return nil }
        try? self.init(Self.text(host), port: port)
    }

    static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
