import CSQLite

/// A statement that begins or ends a transaction.
enum TransactionStep: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, rollBack

    var sql: String {
        switch self {
        case .beginDeferred: "BEGIN DEFERRED"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .beginExclusive: "BEGIN EXCLUSIVE"
        case .commit: "COMMIT"
        case .rollBack: "ROLLBACK"
        }
    }
}

extension Connection {
    /// Runs a step of a transaction. The connection keeps it prepared.
    func run(_ step: TransactionStep) throws {
        let statement = try preparedSteps[step.rawValue] ?? compile(step.sql, isPersistent: true)
        preparedSteps[step.rawValue] = statement
        try willRun(statement)
        let status = sqlite3_step(statement.handle)
        // The reset replaces the message of an error.
        defer { sqlite3_reset(statement.handle) }
        guard status != SQLITE_DONE else { return }
        throw SQLiteError(
            status: status, database: database, action: "run \(SQLiteError.quoted(step.sql))",
            sql: step.sql, underlying: takeFunctionFailure())
    }

    /// Finalizes the prepared steps, because the connection is closing.
    func forgetSteps() {
        for case let statement? in preparedSteps { sqlite3_finalize(statement.handle) }
        preparedSteps = preparedSteps.map { _ in nil }
    }
}
