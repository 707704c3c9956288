/// Connections to one database, opened as they are needed and used by one thread each. Callers that
/// wait for one get it in the order in which they came.
///
/// A connection that the server has closed is replaced before it is used. If connecting fails, the
/// next callers get the same error for a moment instead of waiting for it in turn, so a database
/// that is down does not block the threads that serve requests. When a connection fails, the idle
/// ones are closed too: to a server that hangs they look alive, and each would be waited for.
package final class PostgreSQLPool: Sendable {
    package struct Options: Sendable {
        /// The greatest number of connections at a time.
        package var connections = 16
        /// The longest time for which a caller waits for one of them.
        package var patience: Duration = .seconds(5)
        /// The longest time of one group of statements.
        package var statementTimeout: Duration = .seconds(30)
        /// The longest time that a statement waits for a lock.
        package var lockTimeout: Duration = .seconds(10)
        /// The time for which a failure to connect is given to other callers.
        package var failurePause: Duration = .milliseconds(250)
        /// Ends statements and waits when the server stops.
        package var stop = StopSignal()
        /// Connects; the duration is the longest time of one group of statements.
        package var connect:
            @Sendable (PostgreSQLLocation, Duration, StopSignal) throws -> any PostgreSQLLink = {
                try PostgreSQLConnection($0, timeout: $1, stop: $2)
            }

        package init() {}
    }

    package let location: PostgreSQLLocation
    let options: Options
    private let condition = Condition()
    /// Used only while `condition` is locked.
    nonisolated(unsafe) private var idle: [PostgreSQLSession] = []
    nonisolated(unsafe) private var openCount = 0
    nonisolated(unsafe) private var isClosed = false
    nonisolated(unsafe) private var failure:
        (error: PostgreSQLError, until: ContinuousClock.Instant)?
    /// The numbers of the callers that wait for a connection, in their order.
    nonisolated(unsafe) private var waiting: [UInt64] = []
    nonisolated(unsafe) private var lastNumber: UInt64 = 0

    package init(_ location: PostgreSQLLocation, options: Options = Options()) {
        self.location = location
        self.options = options
    }

    /// The numbers of connections, for metrics.
    package var counts: (open: Int, idle: Int) {
        condition.withLock { (openCount, idle.count) }
    }

    /// The number of callers that wait for a connection.
    var waitingCount: Int { condition.withLock { waiting.count } }

    /// Calls `body` with a connection that no one else uses.
    ///
    /// A transaction that `body` leaves open is rolled back.
    func withSession<Result>(_ body: (PostgreSQLSession) throws -> Result) throws -> Result {
        let session = try take()
        defer { give(back: session) }
        return try body(session)
    }

    private func take() throws -> PostgreSQLSession {
        let patience = ContinuousClock.now + options.patience
        while let session = try idleSession(until: patience) {
            if session.connection.isAlive { return session }
            condition.withLock { openCount -= 1 }
            condition.broadcast()
        }
        do {
            return try PostgreSQLSession(location, options: options)
        } catch {
            condition.withLock {
                openCount -= 1
                if let error = error as? PostgreSQLError {
                    failure = (error, .now + options.failurePause)
                }
            }
            condition.broadcast()
            throw error
        }
    }

    /// Takes an idle session when it is the caller's turn.
    ///
    /// - Returns: `nil` if the caller is to open a session, which is counted already.
    private func idleSession(
        until patience: ContinuousClock.Instant
    ) throws -> PostgreSQLSession? {
        try condition.withLock {
            lastNumber += 1
            let number = lastNumber
            waiting.append(number)
            defer {
                waiting.removeAll { $0 == number }
                condition.broadcast()
            }
            while true {
                guard !isClosed else {
                    throw PostgreSQLError("The connections to the database were closed.")
                }
                try options.stop.check()
                let isFirst = waiting[0] == number
                if isFirst, let session = idle.popLast() { return session }
                if idle.isEmpty, let failure, failure.until > .now { throw failure.error }
                if isFirst, openCount < options.connections {
                    openCount += 1
                    return nil
                }
                guard ContinuousClock.now < patience else { throw inUse }
                // A short wait, to notice a stop.
                _ = condition.wait(until: .now + .milliseconds(StopSignal.waitMilliseconds))
            }
        }
    }

    private var inUse: PostgreSQLError {
        PostgreSQLError(
            "All \(options.connections) connections to the database are in use.", state: "55P03")
    }

    private func give(back session: PostgreSQLSession) {
        session.endTransaction()
        condition.withLock {
            if session.connection.isBroken {
                openCount -= 1 + idle.count
                idle = []
            } else if isClosed || session.connection.keepsMuchMemory {
                openCount -= 1
            } else {
                idle.append(session)
            }
        }
        condition.broadcast()
    }

    package func close() {
        condition.withLock {
            isClosed = true
            openCount -= idle.count
            idle = []
        }
        condition.broadcast()
    }
}
