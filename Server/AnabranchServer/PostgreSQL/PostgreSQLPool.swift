import Foundation

/// Connections to one database, opened as they are needed and used by one thread each.
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
        /// Connects; the duration is the longest time of one group of statements.
        package var connect: @Sendable (PostgreSQLLocation, Duration) throws -> any PostgreSQLLink =
            {
                try PostgreSQLConnection($0, timeout: $1)
            }

        package init() {}
    }

    package let location: PostgreSQLLocation
    let options: Options
    private let condition = NSCondition()
    /// Used only while `condition` is locked.
    nonisolated(unsafe) private var idle: [PostgreSQLSession] = []
    nonisolated(unsafe) private var openCount = 0
    nonisolated(unsafe) private var isClosed = false
    nonisolated(unsafe) private var failure: (error: PostgreSQLError, until: Date)?

    package init(_ location: PostgreSQLLocation, options: Options = Options()) {
        self.location = location
        self.options = options
    }

    /// The numbers of connections, for metrics.
    package var counts: (open: Int, idle: Int) {
        condition.withLock { (openCount, idle.count) }
    }

    /// Calls `body` with a connection that no one else uses.
    ///
    /// A transaction that `body` leaves open is rolled back.
    func withSession<Result>(_ body: (PostgreSQLSession) throws -> Result) throws -> Result {
        let session = try take()
        defer { give(back: session) }
        return try body(session)
    }

    private func take() throws -> PostgreSQLSession {
        let patience = Date(timeIntervalSinceNow: options.patience / .seconds(1))
        while let session = try idleSession(until: patience) {
            if session.connection.isAlive { return session }
            condition.withLock { openCount -= 1 }
            condition.signal()
        }
        do {
            return try PostgreSQLSession(location, options: options)
        } catch {
            condition.withLock {
                openCount -= 1
                if let error = error as? PostgreSQLError {
                    failure = (
                        error, Date(timeIntervalSinceNow: options.failurePause / .seconds(1))
                    )
                }
            }
            condition.signal()
            throw error
        }
    }

    /// Takes an idle session.
    ///
    /// - Returns: `nil` if the caller is to open a session, which is counted already.
    private func idleSession(until patience: Date) throws -> PostgreSQLSession? {
        try condition.withLock {
            while true {
                guard !isClosed else {
                    throw PostgreSQLError("The connections to the database were closed.")
                }
                if let session = idle.popLast() { return session }
                if let failure, failure.until > Date() { throw failure.error }
                if openCount < options.connections {
                    openCount += 1
                    return nil
                }
                guard condition.wait(until: patience) else {
                    throw PostgreSQLError(
                        "All \(options.connections) connections to the database are in use.",
                        state: "55P03")
                }
            }
        }
    }

    private func give(back session: PostgreSQLSession) {
        session.endTransaction()
        condition.withLock {
            if session.connection.isBroken {
                openCount -= 1 + idle.count
                idle = []
            } else if isClosed {
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
