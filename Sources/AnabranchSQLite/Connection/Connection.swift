import CSQLite

/// One connection to one SQLite file.
///
/// It is confined: whoever owns it sees to it that one thread at a time uses it and its
/// statements. It is closed by ``close()`` or with its last reference; statements hold their
/// connection, so the latter cannot happen under one.
public final class Connection {
    /// As it was passed to `init`.
    public let path: String

    /// Stops this connection's statements from any thread.
    public let interrupter: Interrupter

    // Every run of a statement touches what is marked `unchecked`. The checks of exclusive access
    // would cost several per cent there, and the connection is confined to one thread.

    /// What has been run since the connection was opened.
    @exclusivity(unchecked) public internal(set) var statistics = ConnectionStatistics()

    /// Called with the text of every statement before its first step, also with the BEGIN and
    /// COMMIT of ``transaction(_:_:)``. It must not use the connection.
    @exclusivity(unchecked) public var onStatement: ((String) -> Void)?

    @exclusivity(unchecked) package var faults: TransactionFaults?

    /// `nil` when closed.
    @exclusivity(unchecked) private(set) var database: OpaquePointer?
    @exclusivity(unchecked) var cache: StatementCache
    @exclusivity(unchecked) unowned(unsafe) var firstStatement: Statement?

    /// What a custom function threw, until the statement that called it fails.
    @exclusivity(unchecked) var functionFailure: (any Error)?

    /// Whether the open transaction has run a statement that writes.
    @exclusivity(unchecked) var hasWritten = false

    /// Opens a file.
    ///
    /// SQLite reads the file at the first statement only: that is where a file that is no database
    /// throws `notADatabase`, and where an empty one gets its header.
    ///
    /// - Parameters:
    ///   - path: A path, not a URI. `:memory:` is a database of its own in memory, the empty
    ///     string one in a temporary file.
    ///   - vfs: The name of a registered SQLite virtual file system; `nil` is the system's,
    ///     ``MemoryFiles/vfsName`` one in memory.
    ///   - busyTimeout: How long to wait for another connection's lock before `busy` is thrown.
    ///   - cachedStatements: How many idle statements ``cached(_:)`` keeps prepared.
    /// - Throws: ``SQLiteError`` with code `cantOpen` when the file or its directory is missing or
    ///   may not be opened. Nothing has been created.
    public init(
        path: String, mode: OpenMode = .readWriteCreate, vfs: String? = nil,
        busyTimeout: Duration = .seconds(5), cachedStatements: Int = 128
    ) throws {
        let database = try Self.open(path: path, mode: mode, vfs: vfs)
        self.path = path
        self.database = database
        interrupter = Interrupter(database)
        cache = StatementCache(limit: cachedStatements)
        setBusyTimeout(busyTimeout)
        try configure(database)
    }

    deinit { close() }

    private static func open(path: String, mode: OpenMode, vfs: String?) throws -> OpaquePointer {
        let action = "open the database \u{201C}\(path)\u{201D}"
        guard !path.utf8.contains(0) else {
            throw SQLiteError(
                code: .cantOpen, action: action, cause: "a path cannot contain a NUL")
        }
        var database: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(path, &database, flags, vfs)
        guard status == SQLITE_OK, let database else {
            let error = SQLiteError(status: status, database: database, action: action)
            sqlite3_close(database)
            throw error
        }
        return database
    }

    private func configure(_ database: OpaquePointer) throws {
        let options: [(option: Int32, value: Int32)] = [
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
        ]
        for (option, value) in options {
            let status = csqlite_configure(database, option, value)
            guard status == SQLITE_OK else {
                throw SQLiteError(
                    status: status, database: database,
                    action: "set option \(option) of the database \u{201C}\(path)\u{201D}")
            }
        }
        // Debian's SQLite overwrites deleted content with zeros by default, which costs writes.
        try execute("PRAGMA secure_delete = OFF")
        statistics = ConnectionStatistics()
    }

    /// Closes the file. An open transaction is rolled back.
    ///
    /// Every statement that is still held is finalized and throws when it is used again. Closing
    /// twice is harmless. Must not be called within a custom function or collation.
    public func close() {
        guard let database else { return }
        interrupter.invalidate()
        var statement = firstStatement
        while let current = statement {
            current.detach()
            statement = current.next
        }
        for entry in cache.removeAll() { sqlite3_finalize(entry.handle) }
        self.database = nil
        sqlite3_close_v2(database)
    }

    public var isOpen: Bool { database != nil }

    /// Of the last statement that wrote: rows inserted, updated or deleted, triggers not counted.
    public var changes: Int { database.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// Of all statements since the connection was opened, triggers counted.
    public var totalChanges: Int { database.map { Int(sqlite3_total_changes64($0)) } ?? 0 }

    /// Of the row that a statement has inserted last. Setting it lets one tell afterwards whether
    /// any was inserted.
    public var lastInsertRowID: Int64 {
        get { database.map { sqlite3_last_insert_rowid($0) } ?? 0 }
        set { if let database { sqlite3_set_last_insert_rowid(database, newValue) } }
    }

    public var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// As ``Interrupter/interrupt()``, for a custom function that wants to stop its own statement.
    public func interrupt() { interrupter.interrupt() }

    /// Bytes that a value and a row may have; what is larger throws `tooBig`.
    ///
    /// SQLite's own limit, 1,000,000,000 where nobody has built it otherwise, can't be exceeded.
    public var lengthLimit: Int {
        get { database.map { Int(sqlite3_limit($0, SQLITE_LIMIT_LENGTH, -1)) } ?? 0 }
        set {
            if let database {
                sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Int32(clamping: max(newValue, 0)))
            }
        }
    }

    /// Rounded down to milliseconds, at most 24 days; zero does not wait at all.
    public func setBusyTimeout(_ timeout: Duration) {
        let (seconds, attoseconds) = timeout.components
        let limit: Int64 = 2_147_483
        let bounded = min(max(seconds, 0), limit)
        let rest = bounded == seconds && bounded < limit ? attoseconds / 1_000_000_000_000_000 : 0
        if let database {
            sqlite3_busy_timeout(database, Int32(clamping: bounded * 1000 + max(rest, 0)))
        }
    }

    /// The open database, for calls of this room.
    ///
    /// - Parameter action: What an error says could not be done.
    func openDatabase(to action: @autoclosure () -> String) throws -> OpaquePointer {
        guard let database else { throw SQLiteError.closed(action: action()) }
        return database
    }

    func takeFunctionFailure() -> (any Error)? {
        defer { functionFailure = nil }
        return functionFailure
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
