import Dispatch
import Foundation
import Synchronization

/// Closes connections that take too long to send the headers of a request.
///
/// libmicrohttpd's own timeout restarts with every byte, so a client that sends a byte now and then
/// could keep a connection open for days. A timer runs only while a connection waits, so an unused
/// server sleeps.
final class ConnectionWatch: Sendable {
    private struct Waiting {
        var socket: Int32
        var since: ContinuousClock.Instant
    }

    private struct State {
        var waiting: [UInt: Waiting] = [:]
        var isTicking = false
    }

    private let state = Mutex(State())
    private let limit: Duration
    /// Scheduled only while the state is locked.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    init(limit: Duration) {
        self.limit = limit
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in self?.cutOff() }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Starts to wait for the headers of a request on the connection.
    func begin(_ connection: UInt, socket: Int32) {
        state.withLock { state in
            state.waiting[connection] = Waiting(socket: socket, since: .now)
            guard !state.isTicking else { return }
            state.isTicking = true
            timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        }
    }

    /// Stops waiting: the headers have arrived, or the connection is about to be closed.
    func end(_ connection: UInt) {
        state.withLock { _ = $0.waiting.removeValue(forKey: connection) }
    }

    private func cutOff() {
        let now = ContinuousClock.now
        // This runs under the lock so that the socket still belongs to this connection:
        // libmicrohttpd closes it only after `end`. The socket is only shut down here;
        // libmicrohttpd notices that and closes it.
        state.withLock { state in
            for (connection, entry) in state.waiting where now - entry.since > limit {
                shutdown(entry.socket, Int32(SHUT_RDWR))
                state.waiting[connection] = nil
            }
            // A busy server always has a waiting connection, or one a moment later. So the timer
            // stops only here, and is started at most once a second.
            guard state.waiting.isEmpty else { return }
            state.isTicking = false
            timer.schedule(deadline: .distantFuture)
        }
    }
}
