import CRawSQLite

/// SQLite as a C program would use it: the limit that everything here is measured against.
///
/// WAL, synchronous=NORMAL and no secure_delete, as a store's file has them, so that the
/// difference is Anabranch and nothing else.
final class RawDatabase {
    let handle: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw RawFailure(action: "open \(path)", database: handle)
        }
        self.handle = handle
        try run("PRAGMA journal_mode=WAL")
        try run("PRAGMA synchronous=NORMAL")
        try run("PRAGMA secure_delete=OFF")
    }

    deinit { sqlite3_close(handle) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw RawFailure(action: sql, database: handle)
        }
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard status == SQLITE_OK, let statement else {
            throw RawFailure(action: sql, database: handle)
        }
        return statement
    }

    /// Runs a body with a prepared statement, inside a transaction.
    func transaction<Result>(
        _ sql: String, _ body: (OpaquePointer) throws -> Result
    ) throws -> Result {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        try run("BEGIN IMMEDIATE")
        let result = try body(statement)
        try run("COMMIT")
        return result
    }

    /// The first column of the first row.
    func number(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else {
            throw RawFailure(action: sql, database: handle)
        }
        return sqlite3_column_int64(statement, 0)
    }

    /// Steps a statement that returns no row, and resets it.
    @inline(__always)
    func step(_ statement: OpaquePointer) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw RawFailure(action: "step a statement", database: handle)
        }
        sqlite3_reset(statement)
    }
}

/// What SQLite said when it was used directly.
struct RawFailure: Error, CustomStringConvertible {
    let description: String

    init(action: String, database: OpaquePointer?) {
        let cause = database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        description = "Can't \(action) because \(cause ?? "SQLite has no memory")."
    }
}
