import Dispatch
import Foundation
import Synchronization

/// Cuts off connections that take too long to send a request's headers.
///
/// libmicrohttpd's own time-out begins anew with every byte, so a byte now and then would keep a
/// connection for days.
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

    /// From now on headers are waited for.
    func begin(_ connection: UInt, socket: Int32) {
        waiting.withLock { $0[connection] = Waiting(socket: socket, since: .now) }
    }

    /// The headers are there, or the connection is about to be closed.
    func end(_ connection: UInt) {
        waiting.withLock { _ = $0.removeValue(forKey: connection) }
    }

    private func cutOff() {
        let now = ContinuousClock.now
        // Under the lock, so that the socket is still this connection's: it is closed behind
        // `end`. Only shut down here; libmicrohttpd sees that and closes it.
        waiting.withLock { waiting in
            for (connection, entry) in waiting where now - entry.since > limit {
                shutdown(entry.socket, Int32(SHUT_RDWR))
                waiting[connection] = nil
            }
        }
    }
}
