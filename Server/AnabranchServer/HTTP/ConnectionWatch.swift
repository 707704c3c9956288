import Dispatch
import Foundation
import Synchronization

/// Closes connections that take too long to send the headers of a request, or a body before the
/// right of its client is known. If a server has almost as many connections as it may have, it also
/// closes those that wait longest. If memory is short, it closes those that hold some of it for
/// longest, because they send such a body slowly, or do not read their answer.
///
/// libmicrohttpd's own timeout restarts with every byte, so a client that sends a byte now and then
/// could keep a connection open for days. A client that has shown no right must therefore be quick,
/// and makes room for others. A timer runs only while a connection waits, so an unused server
/// sleeps.
final class ConnectionWatch: Sendable {
    private struct Waiting {
        var socket: Int32
        var since: ContinuousClock.Instant
        /// True if the time of the wait has a limit.
        var isLimited: Bool
        /// The memory that is held meanwhile.
        var memory: RequestMemory?
    }

    private struct State {
        var waiting: [UInt: Waiting] = [:]
        var openCount = 0
        /// The connections that were ended here and are not closed yet.
        var ending: Set<UInt> = []
        var isTicking = false
        /// When connections that hold memory were last searched for.
        var lastSearch: ContinuousClock.Instant?

        /// Ends a connection. libmicrohttpd notices that and closes its socket.
        mutating func end(_ connection: UInt, _ socket: Int32) {
            shutdown(socket, Int32(SHUT_RDWR))
            waiting[connection] = nil
            ending.insert(connection)
        }
    }

    private let state = Mutex(State())
    private let limit: Duration
    private let connections: Int
    private let whenQuiet: @Sendable () -> Void
    /// Scheduled only while the state is locked.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// The least time between two searches for connections that hold memory.
    private static let searchPause = Duration.milliseconds(20)

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - limit: The time that a connection may wait.
    ///   - connections: The greatest number of open connections. If nine tenths of them are open,
    ///     a new connection ends those that wait longest.
    ///   - whenQuiet: Called when no connection waits any more.
    init(
        limit: Duration, connections: Int = .max, whenQuiet: @escaping @Sendable () -> Void = {}
    ) {
        self.limit = limit
        self.connections = connections
        self.whenQuiet = whenQuiet
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in self?.cutOff() }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// The number of open connections.
    var connectionCount: Int { state.withLock { $0.openCount } }

    /// Records a new connection, and starts to wait for the headers of a request.
    func open(_ connection: UInt, socket: Int32) {
        let isCrowded = state.withLock { state in
            state.openCount += 1
            return state.openCount - state.ending.count > connections - connections / 10
        }
        if isCrowded { makeRoom() }
        begin(connection, socket: socket)
    }

    /// Records that a connection is about to be closed.
    func close(_ connection: UInt) {
        state.withLock { state in
            state.openCount -= 1
            state.waiting[connection] = nil
            state.ending.remove(connection)
        }
    }

    /// Starts to wait for the headers of a request, for the body that follows them, or until an
    /// answer is read.
    ///
    /// - Parameters:
    ///   - memory: The memory that the client's request holds meanwhile.
    ///   - isLimited: False if the wait may be longer than the limit, as for an answer.
    func begin(
        _ connection: UInt, socket: Int32, holding memory: RequestMemory? = nil,
        isLimited: Bool = true
    ) {
        state.withLock { state in
            state.waiting[connection] = Waiting(
                socket: socket, since: .now, isLimited: isLimited, memory: memory)
            guard !state.isTicking else { return }
            state.isTicking = true
            timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        }
    }

    /// Stops waiting: the request has arrived, or its right is known.
    func end(_ connection: UInt) {
        state.withLock { _ = $0.waiting.removeValue(forKey: connection) }
    }

    /// Ends the twentieth part of the connections that has waited longest, so that the search for
    /// them is rare.
    private func makeRoom() {
        state.withLock { state in
            let oldest = state.waiting.filter(\.value.isLimited)
                .sorted { $0.value.since < $1.value.since }
            for (connection, entry) in oldest.prefix(max(connections / 20, 1)) {
                state.end(connection, entry.socket)
            }
        }
    }

    /// Ends the connections that hold memory for longest, until they give back so many bytes.
    ///
    /// - Parameters:
    ///   - holder: The holder for which memory is short; `nil` for all.
    ///   - leastAge: The time that a connection may hold memory in any case.
    func freeMemory(_ byteCount: Int, of holder: MemoryBudget.Holder?, leastAge: Duration) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard state.lastSearch.map({ now - $0 >= Self.searchPause }) ?? true else { return }
            state.lastSearch = now
            let oldest = state.waiting
                .filter { now - $0.value.since >= leastAge }
                .sorted { $0.value.since < $1.value.since }
            var rest = byteCount
            for (connection, entry) in oldest where rest > 0 {
                guard let count = entry.memory?.byteCount(for: holder), count > 0 else { continue }
                state.end(connection, entry.socket)
                rest -= count
            }
        }
    }

    private func cutOff() {
        let now = ContinuousClock.now
        // This runs under the lock so that the socket still belongs to this connection:
        // libmicrohttpd closes it only after `end`. The socket is only shut down here;
        // libmicrohttpd notices that and closes it.
        let isQuiet = state.withLock { state in
            for (connection, entry) in state.waiting
            where entry.isLimited && now - entry.since > limit {
                state.end(connection, entry.socket)
            }
            // A busy server always has a waiting connection, or one a moment later. So the timer
            // stops only here, and is started at most once a second.
            guard state.waiting.isEmpty else { return false }
            state.isTicking = false
            timer.schedule(deadline: .distantFuture)
            return true
        }
        if isQuiet { whenQuiet() }
    }
}
