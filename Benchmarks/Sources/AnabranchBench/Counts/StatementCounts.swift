import CRawSQLite
import Synchronization

/// What all connections of this process to SQLite have done.
struct StatementCounts: Sendable {
    /// The statements that were begun. A trigger belongs to the statement that fires it.
    var statements = 0
    /// The transactions that only read, each statement outside a transaction included.
    var readTransactions = 0
    /// The transactions that write, each statement outside a transaction included.
    var writeTransactions = 0
    /// The pages that commits wrote, without those that a checkpoint copies.
    var writtenPages = 0
}

/// Counts statements by SQLite's own trace, which no connection of the process escapes.
enum StatementCounter {
    private struct State {
        var counts = StatementCounts()
        /// The addresses of the open connections.
        var connections: Set<UInt> = []
    }

    private static let state = Mutex(State())

    /// Begins to count. A connection that is open already is not counted.
    static func start() throws {
        let status = raw_on_open { database, _, _ in
            guard let database else { return SQLITE_OK }
            return StatementCounter.follow(database)
        }
        guard status == SQLITE_OK else { throw Unexpected("SQLite does not report connections") }
    }

    /// The counts since ``start()``. No connection may be in use.
    static var counts: StatementCounts {
        state.withLock { state in
            var counts = state.counts
            for connection in state.connections {
                counts.writtenPages += Int(raw_pages_written(OpaquePointer(bitPattern: connection)))
            }
            return counts
        }
    }

    private static func follow(_ database: OpaquePointer) -> Int32 {
        state.withLock { _ = $0.connections.insert(UInt(bitPattern: database)) }
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_CLOSE)
        return sqlite3_trace_v2(
            database, events,
            { event, _, subject, text in
                guard let subject = OpaquePointer(subject) else { return 0 }
                if event == UInt32(SQLITE_TRACE_CLOSE) {
                    StatementCounter.didClose(subject)
                } else {
                    StatementCounter.didBegin(subject, text?.assumingMemoryBound(to: CChar.self))
                }
                return 0
            }, nil)
    }

    private static func didClose(_ database: OpaquePointer) {
        state.withLock { state in
            guard state.connections.remove(UInt(bitPattern: database)) != nil else { return }
            state.counts.writtenPages += Int(raw_pages_written(database))
        }
    }

    private static func didBegin(_ statement: OpaquePointer, _ text: UnsafePointer<CChar>?) {
        // SQLite reports the beginning of a trigger as a comment.
        let dash = CChar(bitPattern: UInt8(ascii: "-"))
        if let text, text[0] == dash, text[1] == dash { return }
        // Whatever begins outside a transaction is one, BEGIN included.
        let isTransaction = sqlite3_get_autocommit(sqlite3_db_handle(statement)) != 0
        let isReading = sqlite3_stmt_readonly(statement) != 0
        state.withLock { state in
            state.counts.statements += 1
            guard isTransaction else { return }
            if isReading {
                state.counts.readTransactions += 1
            } else {
                state.counts.writeTransactions += 1
            }
        }
    }
}
