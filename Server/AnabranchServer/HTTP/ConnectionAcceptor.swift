import Foundation

/// A thread that accepts connections from a socket which other processes hold too.
///
/// libmicrohttpd shuts its listening socket down when it stops. That would end the socket for the
/// service manager and the next daemon too, so this thread accepts in place of the library.
final class ConnectionAcceptor: Sendable {
    private let socket: Int32
    private let wakeReader: Int32
    private let wakeWriter: Int32
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - socket: A non-blocking socket that listens.
    ///   - take: Takes the descriptor of a connection and its peer's address. It closes the
    ///     descriptor, also if it refuses the connection.
    ///
    /// - Throws: ``HTTPServerError`` if the process has no descriptors left.
    ///   ``ThreadError`` if it may have no further thread.
    init(
        _ socket: Int32,
        take: @escaping @Sendable (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) -> Void
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw HTTPServerError(
                "Can't create a pipe because of this error: \(String(cString: strerror(errno)))")
        }
        (self.socket, wakeReader, wakeWriter) = (socket, ends[0], ends[1])
        try SystemThread.start("acceptor") { [self] in
            run(take)
            ended.signal()
        }
    }

    /// Ends the thread. Connections that were not accepted stay in the socket.
    func stop() {
        close(wakeWriter)
        ended.wait()
        close(wakeReader)
        close(socket)
    }

    private func run(
        _ take: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) -> Void
    ) {
        var watched = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&watched, 2, -1)
            guard count >= 0 || errno == EINTR else { return }
            guard watched[1].revents == 0 else { return }
            if count > 0, !acceptOne(take) {
                // Descriptors or memory have run out: wait until connections have ended.
                usleep(20_000)
            }
        }
    }

    /// - Returns: False if the process can't open a connection now.
    private func acceptOne(
        _ take: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) -> Void
    ) -> Bool {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let connection = accept(socket, address, &size)
                guard connection >= 0 else {
                    return ![EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
                }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
                take(connection, address, size)
                return true
            }
        }
    }
}
