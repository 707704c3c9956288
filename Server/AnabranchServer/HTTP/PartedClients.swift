import CMicroHTTPD
import Dispatch
import Foundation
import Synchronization

/// Notices that clients have closed connections that are suspended.
///
/// libmicrohttpd does not look at a suspended connection. Without this, an event stream would be
/// open until the next heartbeat, and a request would wait for a thread, and both would count among
/// the connections that a server may have. A client that closes only its own direction counts as
/// one that has left.
final class PartedClients: Sendable {
    private let watched: Int32
    private let actions = Mutex<[UInt: @Sendable () -> Void]>([:])
    /// Used by the initializer and the end only.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// The greatest number of clients that one look finds.
    private static let batch = 64

    /// Creates a watch; `nil` if the process has no descriptor left. Heartbeats and threads find
    /// closed connections then.
    init?() {
        watched = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard watched >= 0 else { return nil }
        source = DispatchSource.makeReadSource(
            fileDescriptor: watched, queue: .global(qos: .utility))
        source.setEventHandler { [weak self] in self?.look() }
        source.setCancelHandler { [watched] in close(watched) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Waits until a client closes its connection.
    ///
    /// - Parameter part: Called once then, on another thread, unless the connection is forgotten at
    ///   the same moment or before.
    func watch(_ connection: UInt, socket: Int32, _ part: @escaping @Sendable () -> Void) {
        actions.withLock { actions in
            actions[connection] = part
            var event = epoll_event()
            event.events = EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
            event.data.u64 = UInt64(connection)
            _ = epoll_ctl(watched, EPOLL_CTL_ADD, socket, &event)
        }
    }

    /// Forgets a connection that goes on, or that is about to be closed.
    func forget(_ connection: UInt, socket: Int32) {
        actions.withLock { actions in
            guard actions.removeValue(forKey: connection) != nil else { return }
            var event = epoll_event()
            _ = epoll_ctl(watched, EPOLL_CTL_DEL, socket, &event)
        }
    }

    private func look() {
        var events = [epoll_event](repeating: epoll_event(), count: Self.batch)
        let count = epoll_wait(watched, &events, Int32(Self.batch), 0)
        guard count > 0 else { return }
        let parted = actions.withLock { actions in
            events.prefix(Int(count)).compactMap { actions[UInt($0.data.u64)] }
        }
        for part in parted { part() }
    }
}
