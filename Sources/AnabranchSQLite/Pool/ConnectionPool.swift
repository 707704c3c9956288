import Dispatch
import Synchronization

/// A pool of reading connections to one file, opened when needed and lent to one caller at a time.
///
/// If all readers are busy, callers wait in the order of their calls and block their threads. A
/// caller must not start another read within its own read: if every reader did so, all would wait
/// forever.
public final class ConnectionPool: Sendable {
    /// The path of the file.
    public let path: String

    /// The greatest number of open connections.
    public let limit: Int

    private let mode: OpenMode
    private let vfs: String?
    private let busyTimeout: Duration
    private let setup: @Sendable (Connection) throws -> Void
    private let state = Mutex(State())

    /// Creates a pool without opening a connection.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of open connections, at least 1.
    ///   - setup: Called once for each new connection, to set pragmas, collations and functions.
    public init(
        path: String, limit: Int, mode: OpenMode = .readOnly, vfs: String? = nil,
        busyTimeout: Duration = .seconds(5),
        setup: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
        self.path = path
        self.limit = max(limit, 1)
        self.mode = mode
        self.vfs = vfs
        self.busyTimeout = busyTimeout
        self.setup = setup
    }

    deinit { close() }

    /// Runs `body` with a reader in a deferred transaction, so that all reads see one state.
    ///
    /// It waits while all readers are busy. Neither the connection nor its statements may be used
    /// after `body` has returned; statements that have not ended are reset.
    ///
    /// - Parameters:
    ///   - isOneStatement: True if the body runs one statement at most. It sees one state by
    ///     itself, and no transaction is begun, which would take as long as a small read.
    ///   - isCounted: False for a read that ``statistics`` leave out.
    /// - Throws: Errors of `body`. ``SQLiteError`` if the file cannot be opened or set up, with
    ///   code `misuse` if the pool is closed.
    public func read<Result>(
        isOneStatement: Bool = false, isCounted: Bool = true,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        let reader = try take()
        let before = reader.connection.statistics
        defer {
            giveBack(
                reader,
                used: isCounted ? reader.connection.statistics - before : ConnectionStatistics())
        }
        func read() throws -> Result {
            defer { reader.connection.resetStatements() }
            return try body(reader.connection)
        }
        return isOneStatement ? try read() : try reader.connection.transaction(.deferred, read)
    }

    /// The counts of all readers together, without reads that have not ended.
    public var statistics: ConnectionStatistics { state.withLock { $0.statistics } }

    /// The number of connections that are idle, lent or being opened.
    public var openCount: Int { state.withLock { $0.openCount } }

    /// The number of callers that wait for a reader.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits for running reads, then closes every connection.
    ///
    /// Reads that wait, and later reads, throw. A second call has no effect.
    public func close() {
        let (turnedAway, done) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting.removeAll() }
            let done: DispatchSemaphore? = state.isAtRest ? nil : DispatchSemaphore(value: 0)
            if let done { state.closers.append(done) }
            return (state.waiting, done)
        }
        for turn in turnedAway { turn.come(.refused) }
        done?.wait()
        let idle = state.withLock { state in
            defer { state.idle.removeAll() }
            state.openCount -= state.idle.count
            return state.idle
        }
        for reader in idle { reader.connection.close() }
    }
}

extension ConnectionPool {
    /// A connection that is lent to one user at a time.
    ///
    /// The pool's lock orders one use before the next.
    fileprivate struct Reader: @unchecked Sendable {
        let connection: Connection
    }

    fileprivate struct State {
        var idle: [Reader] = []
        /// The number of connections that are idle, lent or being opened.
        var openCount = 0
        var waiting: [Waiter] = []
        var closers: [DispatchSemaphore] = []
        var isClosed = false
        var statistics = ConnectionStatistics()

        var isAtRest: Bool { openCount == idle.count }

        /// Removes and returns the callers of `close` to wake, if no connection is in use.
        mutating func closersToWake() -> [DispatchSemaphore] {
            guard isAtRest else { return [] }
            defer { closers = [] }
            return closers
        }
    }

    /// One waiting caller.
    fileprivate final class Waiter: Sendable {
        enum Outcome {
            case reader(Reader)
            /// A connection failed to open, so this caller may open one itself.
            case place
            case refused
        }

        private let outcome = Mutex(Outcome.refused)
        private let signal = DispatchSemaphore(value: 0)

        func come(_ outcome: Outcome) {
            self.outcome.withLock { $0 = outcome }
            signal.signal()
        }

        func wait() -> Outcome {
            signal.wait()
            return outcome.withLock { $0 }
        }
    }

    private enum Claim {
        case outcome(Waiter.Outcome)
        case wait(Waiter)
    }

    private func take() throws -> Reader {
        let outcome =
            switch claim() {
            case .outcome(let outcome): outcome
            case .wait(let turn): turn.wait()
            }
        switch outcome {
        case .reader(let reader): return reader
        case .place: return try openReader()
        case .refused:
            throw SQLiteError.misuse(
                action: "read \u{201C}\(path)\u{201D}", cause: "its pool has been closed")
        }
    }

    private func claim() -> Claim {
        state.withLock { state in
            if state.isClosed { return .outcome(.refused) }
            if let reader = state.idle.popLast() { return .outcome(.reader(reader)) }
            if state.openCount < limit {
                state.openCount += 1
                return .outcome(.place)
            }
            let turn = Waiter()
            state.waiting.append(turn)
            return .wait(turn)
        }
    }

    private func openReader() throws -> Reader {
        do {
            let connection = try Connection(
                path: path, mode: mode, vfs: vfs, busyTimeout: busyTimeout)
            try setup(connection)
            return Reader(connection: connection)
        } catch {
            giveUpPlace()
            throw error
        }
    }

    private func giveUpPlace() {
        let (turn, closers) = state.withLock { state in
            guard state.waiting.isEmpty else {
                return (state.waiting.removeFirst() as Waiter?, [DispatchSemaphore]())
            }
            state.openCount -= 1
            return (nil, state.closersToWake())
        }
        turn?.come(.place)
        for closer in closers { closer.signal() }
    }

    private func giveBack(_ reader: Reader, used: ConnectionStatistics) {
        let (turn, closers) = state.withLock { state in
            state.statistics = state.statistics + used
            guard state.waiting.isEmpty else {
                return (state.waiting.removeFirst() as Waiter?, [DispatchSemaphore]())
            }
            state.idle.append(reader)
            return (nil, state.closersToWake())
        }
        turn?.come(.reader(reader))
        for closer in closers { closer.signal() }
    }
}
