/// When a transaction takes its locks.
public enum TransactionKind: Sendable {
    /// At the first read and the first write. In WAL a read that then writes may find that another
    /// connection has written meanwhile, and throws `busy` without waiting: use `immediate`.
    case deferred
    /// The write lock at once.
    case immediate
    /// The write lock at once; outside WAL, readers are kept out too.
    case exclusive

    var beginSQL: String {
        switch self {
        case .deferred: "BEGIN DEFERRED"
        case .immediate: "BEGIN IMMEDIATE"
        case .exclusive: "BEGIN EXCLUSIVE"
        }
    }
}

extension Connection {
    /// Runs `body` within a transaction, which has ended when this returns or throws.
    ///
    /// - Throws: What `body` throws, or ``SQLiteError`` when BEGIN or COMMIT fails, when `body`
    ///   went on after SQLite had rolled the transaction back (`abort`), or when a transaction is
    ///   open already, which stays as it was: use ``savepoint(_:)`` inside one. In all other cases
    ///   everything is rolled back, also after a failed COMMIT: retry from the start.
    public func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try cached(kind.beginSQL).run()
        hasWritten = false
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` so that what it did is undone when it throws, and only that.
    ///
    /// Savepoints nest. Outside a transaction it is a deferred transaction.
    ///
    /// - Throws: What `body` throws. SQLite may have rolled back the whole transaction around it
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

    private func commit() throws {
        try requireTransaction(to: "commit a transaction")
        try faults?.beforeCommit?()
        try cached("COMMIT").run()
        try faults?.afterCommit?()
    }

    private func requireTransaction(to action: String) throws {
        guard !isInTransaction else { return }
        guard isOpen else { throw SQLiteError.closed(action: action) }
        throw SQLiteError(
            code: .abort, action: action, cause: "it was ended or rolled back before its end")
    }

    /// The error that led here matters more than one of ROLLBACK, which leaves no transaction open
    /// even when it fails.
    private func rollBack() {
        guard isInTransaction else { return }
        try? cached("ROLLBACK").run()
    }
}
