import AnabranchSQLite
import Synchronization

/// Stops reads of a store, also while SQLite searches for the next row.
package final class ReadCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var interrupter: Interrupter?
    }

    private let state = Mutex(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Stops the running read, and every later one before it begins.
    package func cancel() {
        // The lock keeps the connection from going on to another read meanwhile.
        state.withLock { state in
            state.isCancelled = true
            state.interrupter?.interrupt()
        }
    }

    /// Runs a read that can be stopped.
    ///
    /// - Throws: `CancellationError` if it was stopped; the error of the body.
    fileprivate func reading<Result>(
        with interrupter: Interrupter, _ body: () throws -> Result
    ) throws -> Result {
        let isCancelled = state.withLock { state in
            state.interrupter = interrupter
            return state.isCancelled
        }
        defer { state.withLock { $0.interrupter = nil } }
        if isCancelled { throw CancellationError() }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupt {
            throw self.isCancelled ? CancellationError() : error
        }
    }
}

extension StoreReader {
    /// Runs a part of a read that can be stopped.
    ///
    /// - Throws: `CancellationError` if it was stopped; the error of the body.
    package func stoppable<Result>(
        by cancellation: ReadCancellation, _ body: () throws -> Result
    ) throws -> Result {
        try cancellation.reading(with: connection.interrupter, body)
    }
}
