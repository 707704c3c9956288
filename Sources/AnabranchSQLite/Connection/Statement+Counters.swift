import CSQLite

extension Statement {
    /// A counter of the work of a statement.
    public enum Counter: Sendable {
        /// The rows of tables and indexes that were read from the first to the last.
        case scannedRows
        /// The sorts, also those for groups.
        case sorts
        /// The rows of indexes that SQLite made for one run.
        case automaticIndexRows
        /// The instructions of SQLite's virtual machine.
        case steps
        /// The times that SQLite had to prepare the statement again.
        case preparations

        fileprivate var code: Int32 {
            switch self {
            case .scannedRows: SQLITE_STMTSTATUS_FULLSCAN_STEP
            case .sorts: SQLITE_STMTSTATUS_SORT
            case .automaticIndexRows: SQLITE_STMTSTATUS_AUTOINDEX
            case .steps: SQLITE_STMTSTATUS_VM_STEP
            case .preparations: SQLITE_STMTSTATUS_REPREPARE
            }
        }
    }

    /// Returns a counter since it was last taken, and sets it to zero.
    public func takeCount(of counter: Counter) -> Int {
        handle.map { Int(sqlite3_stmt_status($0, counter.code, 1)) } ?? 0
    }
}
