import CSQLite
import Synchronization

/// Records the statements that the connections of this process run on one file, by SQLite's own
/// trace: readers, the writer, and those that watch the file or copy its log.
package final class StatementLog: Sendable {
    /// One statement that was begun.
    package struct Entry: Sendable {
        /// The text of the statement.
        package let sql: String
        /// True if it begins outside a transaction, so that it is one or begins one.
        package let isTransaction: Bool
        /// True if it writes, as `BEGIN IMMEDIATE` does.
        package let isWriting: Bool
    }

    private let path: String
    private let entries = Mutex<[Entry]>([])

    /// Begins to record.
    ///
    /// - Parameter path: The path of a file that no connection has open. Statements on it are
    ///   recorded as long as the process lives.
    package init(ofFile path: String) {
        self.path = path
        _ = Self.isFollowing
        Self.logs.withLock { $0.append(self) }
    }

    /// Returns what was recorded since the last call.
    package func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }

    /// Every log of the process: SQLite's connections refer to them.
    private static let logs = Mutex<[StatementLog]>([])

    /// Follows each connection that is opened from now on.
    private static let isFollowing: Bool = {
        typealias Hook =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
            ) -> Int32
        let hook: Hook = { database, _, _ in StatementLog.follow(database) }
        // SQLite passes the parameters, but declares the function without them.
        return sqlite3_auto_extension(
            unsafeBitCast(hook, to: (@convention(c) () -> Void).self)) == SQLITE_OK
    }()

    private static func follow(_ database: OpaquePointer?) -> Int32 {
        guard let name = sqlite3_db_filename(database, "main") else { return SQLITE_OK }
        let path = String(cString: name)
        guard let log = logs.withLock({ $0.last { $0.path == path } }) else { return SQLITE_OK }
        return sqlite3_trace_v2(
            database, UInt32(SQLITE_TRACE_STMT),
            { _, log, statement, text in
                guard let log, let text else { return 0 }
                Unmanaged<StatementLog>.fromOpaque(log).takeUnretainedValue()
                    .append(OpaquePointer(statement), String(cString: text.asText))
                return 0
            }, Unmanaged.passUnretained(log).toOpaque())
    }

    private func append(_ statement: OpaquePointer?, _ sql: String) {
        // SQLite reports the beginning of a trigger as a comment.
        guard !sql.hasPrefix("--") else { return }
        let entry = Entry(
            sql: sql,
            isTransaction: sqlite3_get_autocommit(sqlite3_db_handle(statement)) != 0,
            isWriting: sqlite3_stmt_readonly(statement) == 0)
        entries.withLock { $0.append(entry) }
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var asText: UnsafePointer<CChar> {
        UnsafePointer(assumingMemoryBound(to: CChar.self))
    }
}
