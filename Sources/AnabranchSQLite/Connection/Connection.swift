import CSQLite

/// One connection to one SQLite file.
///
/// It is confined: its owner must ensure that one thread at a time uses it and its statements. It
/// is closed by ``close()`` or with its last reference; statements keep their connection alive.
public final class Connection {
    /// The path that was passed to `init`.
    public let path: String

    // Every run of a statement uses the properties marked `unchecked`. Checks of exclusive access
    // would cost several per cent there, and one thread at a time uses the connection.

    /// The counts of statements and rows since the connection was opened.
    @exclusivity(unchecked) public internal(set) var statistics = ConnectionStatistics()

    /// Called with the text of every statement before its first step.
    ///
    /// This includes the BEGIN and COMMIT of ``transaction(_:_:)``. It must not use the connection.
    @exclusivity(unchecked) public var onStatement: ((String) -> Void)?

    @exclusivity(unchecked) package var faults: TransactionFaults?

    /// The database; `nil` after the connection was closed.
    @exclusivity(unchecked) private(set) var database: OpaquePointer?
    @exclusivity(unchecked) var cache: StatementCache
    @exclusivity(unchecked) var firstStatement: Unmanaged<Statement>?
    /// The prepared steps of transactions, by ``TransactionStep``.
    @exclusivity(unchecked) var preparedSteps = [PreparedStatement?](
        repeating: nil, count: TransactionStep.allCases.count)

    /// The number of pages in the write-ahead log after the last commit of this connection, if it
    /// has taken over the checkpoints.
    @exclusivity(unchecked) public internal(set) var logPages = 0

    let rowFunction = RowFunction()

    /// The names of the tables that are watched, see ``watchWrites(of:)``.
    var watchedTables: [String] = []
    /// The watched tables that the statement writes which is being prepared.
    @exclusivity(unchecked) var tablesInPreparation = TableSet()
    /// The watched tables that statements have begun to write since they were last taken.
    @exclusivity(unchecked) var writtenTables = TableSet()

    /// True if running statements must stop; `nil` if they never do.
    @exclusivity(unchecked) var stopCondition: (() -> Bool)?

    /// True while a transaction is committed or rolled back, which nothing stops.
    @exclusivity(unchecked) var isEndingTransaction = false

    /// The error that a custom function threw, until the statement that called it fails.
    @exclusivity(unchecked) var functionFailure: (any Error)?

    /// True if the open transaction has begun a statement that writes.
    ///
    /// It is recorded only on a connection that has `faults`, which a simulation sets.
    @exclusivity(unchecked) var hasWritten = false

    /// Opens a file.
    ///
    /// SQLite reads the file only at the first statement. Only then a file that is not a database
    /// throws `notADatabase`, and an empty file gets its header.
    ///
    /// - Parameters:
    ///   - path: A path, not a URI. `:memory:` is a private database in memory; the empty string is
    /// one in a temporary file.
    ///   - mode: The allowed access; a missing file is created by default.
    ///   - vfs: The name of a registered SQLite virtual file system. `nil` is the system's,
    /// ``MemoryFiles/vfsName`` one in memory.
    ///   - busyTimeout: The time to wait for another connection's lock before `busy` is thrown.
    ///   - cachedStatements: The number of idle statements that ``cached(_:)`` keeps prepared.
    ///
    /// - Throws: ``SQLiteError`` with code `cantOpen` if the file or its directory is missing or
    ///   access is denied. Nothing has been created.
    public init(
        path: String, mode: OpenMode = .readWriteCreate, vfs: String? = nil,
        busyTimeout: Duration = .seconds(5), cachedStatements: Int = 128
    ) throws {
        let database = try Self.open(path: path, mode: mode, vfs: vfs)
        self.path = path
        self.database = database
        cache = StatementCache(limit: cachedStatements)
        setBusyTimeout(busyTimeout)
        try configure(database)
    }

    deinit { close() }

    private static func open(path: String, mode: OpenMode, vfs: String?) throws -> OpaquePointer {
        let action = "open the database \u{201C}\(path)\u{201D}"
        guard !path.utf8.contains(0) else {
            throw SQLiteError(code: .cantOpen, action: action, cause: "a path cannot contain a NUL")
        }
        var database: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let vfs = vfs ?? CommitFramesRegistration.system?.name
        let status = sqlite3_open_v2(mode.name(of: path), &database, flags, vfs)
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
        for (option, value) in options { try set(option, value, of: database) }
        let status = rowFunction.define(in: database)
        guard status == SQLITE_OK else {
            throw SQLiteError(
                status: status, database: database,
                action: "define the function \(RowFunction.name)")
        }
        // Debian's SQLite overwrites deleted content with zeros by default, which costs writes.
        try execute("PRAGMA secure_delete = OFF")
        statistics = ConnectionStatistics()
    }

    private func set(_ option: Int32, _ value: Int32, of database: OpaquePointer) throws {
        let status = csqlite_configure(database, option, value)
        guard status == SQLITE_OK else {
            throw SQLiteError(
                status: status, database: database,
                action: "set option \(option) of the database \u{201C}\(path)\u{201D}")
        }
    }

    /// Lets triggers and views of the file use virtual tables, such as those of FTS5.
    ///
    /// A new connection does not allow it. Functions of this program without the trait `innocuous`
    /// stay out of their reach.
    public func trustSchema() throws {
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, of: try openDatabase(to: "trust the schema"))
    }

    /// Closes the file. An open transaction is rolled back.
    ///
    /// All its statements are finalized and throw if they are used again. A second call has no
    /// effect. It must not be called within a custom function or collation.
    public func close() {
        guard let database else { return }
        forEachStatement { $0.detach() }
        for entry in cache.removeAll() { sqlite3_finalize(entry.prepared.handle) }
        forgetSteps()
        self.database = nil
        sqlite3_close_v2(database)
    }

    /// True until the connection is closed.
    public var isOpen: Bool { database != nil }

    /// The number of rows that the last write inserted, updated or deleted, without triggers.
    public var changes: Int { database.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// The version of the file's contents that this connection has seen: a number that is another
    /// one after each commit, by whatever connection. `nil` if the connection was closed.
    ///
    /// Within a transaction that has begun to read or write it is that of the transaction, outside
    /// one that of the last. Numbers of two connections have nothing in common.
    public var fileVersion: UInt32? {
        var version: UInt32 = 0
        guard let database,
            sqlite3_file_control(database, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK
        else { return nil }
        return version
    }

    /// True if the path of the open file now leads to another file, or to none.
    package var hasMoved: Bool {
        var hasMoved: Int32 = 0
        guard let database else { return false }
        sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    /// The rowid of the last inserted row.
    ///
    /// Set it before a statement to find out afterwards if the statement inserted a row.
    public var lastInsertRowID: Int64 {
        get { database.map { sqlite3_last_insert_rowid($0) } ?? 0 }
        set { if let database { sqlite3_set_last_insert_rowid(database, newValue) } }
    }

    /// True within a transaction or savepoint.
    public var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// The greatest number of bytes of a value and of a row; a larger one throws `tooBig`.
    ///
    /// It cannot exceed the limit with which SQLite was built, by default 1,000,000,000.
    public var lengthLimit: Int {
        get { database.map { Int(sqlite3_limit($0, SQLITE_LIMIT_LENGTH, -1)) } ?? 0 }
        set {
            if let database {
                sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Int32(clamping: max(newValue, 0)))
            }
        }
    }

    /// The frames that a commit appends to the log; `nil` if they are not gathered, or there is no
    /// log.
    var commitFrames: CommitFrames? {
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database, nil, SQLITE_FCNTL_JOURNAL_POINTER, &log)
        return log.flatMap { CommitFrames.of($0) }
    }

    /// Sets the time to wait for another connection's lock.
    ///
    /// It is rounded down to milliseconds, at most 24 days; zero does not wait.
    public func setBusyTimeout(_ timeout: Duration) {
        let (seconds, attoseconds) = timeout.components
        let limit: Int64 = 2_147_483
        let bounded = min(max(seconds, 0), limit)
        let rest = bounded == seconds && bounded < limit ? attoseconds / 1_000_000_000_000_000 : 0
        if let database {
            sqlite3_busy_timeout(database, Int32(clamping: bounded * 1000 + max(rest, 0)))
        }
    }

    /// Returns SQLite's handle of the open database.
    ///
    /// - Parameter action: The action that the error names.
    /// - Throws: ``SQLiteError`` with code `misuse` if the connection was closed.
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
