import Dispatch
import Foundation
import Synchronization

/// Closes connections that take too long to send the headers of a request.
///
/// libmicrohttpd's own timeout restarts with every byte, so a client that sends a byte now and then
/// could keep a connection open for days.
final class ConnectionWatch: Sendable {
    private struct Waiting {
        var socket: Int32
        var since: ContinuousClock.Instant
    }

    private let waiting = Mutex<[UInt: Waiting]>([:])
    private let limit: Duration
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    init(limit: Duration) {
        self.limit = limit
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        timer.setEventHandler { [weak self] in self?.cutOff() }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Starts to wait for the headers of a request on the connection.
    func begin(_ connection: UInt, socket: Int32) {
        waiting.withLock { $0[connection] = Waiting(socket: socket, since: .now) }
    }

    /// Stops waiting: the headers have arrived, or the connection is about to be closed.
    func end(_ connection: UInt) {
        waiting.withLock { _ = $0.removeValue(forKey: connection) }
    }

    private func cutOff() {
        let now = ContinuousClock.now
        // This runs under the lock so that the socket still belongs to this connection:
        // libmicrohttpd closes it only after `end`. The socket is only shut down here;
        // libmicrohttpd notices that and closes it.
        waiting.withLock { waiting in
            for (connection, entry) in waiting where now - entry.since > limit {
                shutdown(entry.socket, Int32(SHUT_RDWR))
                waiting[connection] = nil
            }
        }
    }
}
