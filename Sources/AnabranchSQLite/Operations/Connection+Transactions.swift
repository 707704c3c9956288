import CSQLite

/// The time at which a transaction takes its locks.
public enum TransactionKind: Sendable {
    /// Locks at the first read and the first write.
    ///
    /// In WAL mode, a transaction that reads and then writes throws `busy` without waiting if
    /// another connection has written in between: use `immediate`.
    case deferred
    /// Takes the write lock at the beginning.
    case immediate
    /// Takes the write lock at the beginning; outside WAL mode it also excludes readers.
    case exclusive

    var beginning: TransactionStep {
        switch self {
        case .deferred: .beginDeferred
        case .immediate: .beginImmediate
        case .exclusive: .beginExclusive
        }
    }
}

extension Connection {
    /// Runs `body` within a transaction, which has ended when this returns or throws.
    ///
    /// If it throws, everything is rolled back, even after a failed COMMIT: retry from the start.
    /// The exception is a call within an open transaction, which stays as it was: use
    /// ``savepoint(_:)`` there.
    ///
    /// - Throws: Errors of `body`. ``SQLiteError`` if BEGIN or COMMIT fails, if a transaction is
    ///   open already, or if `body` continued after SQLite had rolled the transaction back
    ///   (`abort`).
    @inlinable
    public func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` within a savepoint, and undoes only its changes if it throws.
    ///
    /// Savepoints nest. Outside a transaction it is a deferred transaction.
    ///
    /// - Throws: Errors of `body`. SQLite may have rolled back the whole enclosing transaction
    ///   (codes `full`, `ioError`, `noMemory`, `interrupt`); ``isInTransaction`` tells.
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        guard isInTransaction else { return try transaction(.deferred, body) }
        try cached("SAVEPOINT ab_level").run()
        do {
            let result = try body()
            try requireTransaction(to: "release a savepoint")
            try cached("RELEASE ab_level").run()
            return result
        } catch {
            if isInTransaction {
                try cached("ROLLBACK TO ab_level").run()
                try cached("RELEASE ab_level").run()
            }
            throw error
        }
    }

    @usableFromInline
    func begin(_ kind: TransactionKind) throws {
        try run(kind.beginning)
        hasWritten = false
    }

    @usableFromInline
    func commit() throws {
        try requireTransaction(to: "commit a transaction")
        let faults = hasWritten ? faults : nil
        try faults?.beforeCommit?()
        let frames = commitFrames
        frames?.begin()
        do {
            try end(.commit)
        } catch {
            _ = frames?.end(isCommitted: false)
            throw error
        }
        if let status = frames?.end(isCommitted: true), status != SQLITE_OK {
            throw SQLiteError(status: status, database: database, action: "write a commit")
        }
        try faults?.afterCommit?()
    }

    private func requireTransaction(to action: String) throws {
        guard !isInTransaction else { return }
        guard isOpen else { throw SQLiteError.closed(action: action) }
        throw SQLiteError(
            code: .abort, action: action, cause: "it was ended or rolled back before its end")
    }

    /// Rolls back an open transaction.
    ///
    /// An error of ROLLBACK is ignored, because the error that caused the rollback matters more.
    @usableFromInline
    func rollBack() {
        guard isInTransaction else { return }
        try? end(.rollBack)
    }

    /// Runs the statement that ends a transaction, which ``stop(when:)`` does not stop.
    private func end(_ step: TransactionStep) throws {
        isEndingTransaction = true
        defer { isEndingTransaction = false }
        try run(step)
    }
}
