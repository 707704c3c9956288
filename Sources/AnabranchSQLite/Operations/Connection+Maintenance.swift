import CSQLite

/// The extent of a checkpoint, which copies the write-ahead log into the database file.
public enum CheckpointMode: Sendable {
    /// Copies as much as possible without waiting for readers or writers.
    case passive
    /// Copies everything; waits for writers and for readers of older snapshots.
    case full
    /// Like `full`; the next writer also starts the write-ahead log from its beginning.
    case restart
    /// Like `restart`; the write-ahead log is also truncated to zero bytes.
    case truncate

    var rawValue: Int32 {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .full: SQLITE_CHECKPOINT_FULL
        case .restart: SQLITE_CHECKPOINT_RESTART
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }
}

/// The result of a checkpoint; both numbers are -1 if the file is not in WAL mode.
public struct CheckpointResult: Sendable, Hashable {
    /// The number of pages in the write-ahead log.
    public let logPages: Int
    /// The number of pages of the write-ahead log that have been copied into the database file.
    public let checkpointedPages: Int
}

extension Connection {
    /// Copies pages of the write-ahead log into the database file.
    ///
    /// - Throws: `busy` if a reader or writer kept its lock for longer than the busy timeout,
    ///   `locked` within a transaction. Nothing is lost: try again later.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
        let action = "checkpoint \u{201C}\(path)\u{201D}"
        let database = try openDatabase(to: action)
        var pages: Int32 = -1
        var checkpointed: Int32 = -1
        let status = sqlite3_wal_checkpoint_v2(database, nil, mode.rawValue, &pages, &checkpointed)
        guard status == SQLITE_OK else {
            throw SQLiteError(status: status, database: database, action: action)
        }
        return CheckpointResult(logPages: Int(pages), checkpointedPages: Int(checkpointed))
    }

    /// Flushes the write-ahead log to the drive, and so every commit to the file until now, of
    /// whatever connection. It takes no lock and writes nothing. Without a log, as in memory, it
    /// does nothing.
    ///
    /// Source: <https://www.sqlite.org/c3ref/io_methods.html>.
    public func flushLog() throws {
        let action = "flush the log of \u{201C}\(path)\u{201D}"
        let database = try openDatabase(to: action)
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        guard let log, let methods = log.pointee.pMethods else { return }
        let status = methods.pointee.xSync(log, SQLITE_SYNC_FULL)
        guard status == SQLITE_OK else {
            throw SQLiteError(status: status, database: nil, action: action)
        }
    }

    /// Ends SQLite's own checkpoints, which it makes within a commit that fills the write-ahead
    /// log.
    ///
    /// From then on ``logPages`` is the length of the log after the last commit of this connection.
    public func takeOverCheckpoints() throws {
        let action = "take over the checkpoints of \u{201C}\(path)\u{201D}"
        let database = try openDatabase(to: action)
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages =
                    Int(pages)
                return SQLITE_OK
            }, context)
    }

    /// Sets if closing the last connection keeps the write-ahead log.
    ///
    /// By default the last connection copies the log into the database file and removes it.
    public func keepLogOnClose(_ keeps: Bool) throws {
        let action = "set what closing \u{201C}\(path)\u{201D} does with its log"
        let database = try openDatabase(to: action)
        let status = csqlite_configure(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0)
        guard status == SQLITE_OK else {
            throw SQLiteError(status: status, database: database, action: action)
        }
    }

    /// Copies the database, as it is at one moment, over the file at `path`.
    ///
    /// Other connections may write meanwhile. The previous content of the file is replaced in one
    /// transaction.
    ///
    /// - Throws: ``SQLiteError``. The previous content is unchanged; a file that did not exist may
    ///   be left empty.
    public func backup(to path: String, vfs: String? = nil) throws {
        let action = "back up to \u{201C}\(path)\u{201D}"
        let source = try openDatabase(to: action)
        let copy = try Connection(path: path, vfs: vfs)
        defer { copy.close() }
        let target = try copy.openDatabase(to: action)
        guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
            throw SQLiteError(
                status: sqlite3_extended_errcode(target), database: target, action: action)
        }
        let stepped = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            throw SQLiteError(
                status: stepped == SQLITE_DONE ? finished : stepped, database: target,
                action: action)
        }
    }
}
