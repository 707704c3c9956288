import AnabranchSQLite
import Synchronization

/// Stops reads of a store from any thread, also while SQLite searches for the next row.
package final class ReadCancellation: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isCancelled: Bool { state.load(ordering: .relaxed) }

    /// Stops the running read, and every later one.
    package func cancel() { state.store(true, ordering: .relaxed) }
}

extension StoreReader {
    /// Runs a part of a read that can be stopped.
    ///
    /// - Throws: `CancellationError` if it was stopped; the error of the body.
    package func stoppable<Result>(
        by cancellation: ReadCancellation, _ body: () throws -> Result
    ) throws -> Result {
        if cancellation.isCancelled { throw CancellationError() }
        do {
            return try connection.stopping(when: { cancellation.isCancelled }, body)
        } catch let error as SQLiteError where error.code == .interrupt {
            throw CancellationError()
        }
    }
}
