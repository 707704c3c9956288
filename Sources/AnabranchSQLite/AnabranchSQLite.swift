import CSQLite

// # The room AnabranchSQLite
//
// The only place that touches SQLite's C interface. It adds as little as it can: a `Connection`
// owns one `sqlite3`, a `Statement` lends one `sqlite3_stmt`, and the calls that run once a row
// or once a value are inlinable and are one C call each.
//
// ## What it guarantees
//
// - **Confinement.** A connection is opened without SQLite's mutexes and is not `Sendable`: one
//   thread at a time, as its owner arranges. `Interrupter` is the one part that crosses threads.
//   `ConnectionPool` is `Sendable` and hands each of its readers to one caller at a time.
// - **Ownership.** A statement holds its connection, so it cannot outlive it. Closing a connection
//   finalizes every statement that is still held; such a statement throws when it is bound or
//   stepped, and its columns read as NULL. Nothing dangles, in whatever order things are released.
// - **Statements clean up after themselves.** One that returned its last row or failed is reset
//   before `step` returns; one that is released half-way is reset at once, so that no forgotten
//   cursor keeps a read transaction open. A cached statement has one borrower at a time: whoever
//   asks for the same text meanwhile, say within a loop over its rows, gets a fresh one.
// - **Transactions end.** `transaction` leaves no transaction behind: it commits, or it throws
//   and everything is rolled back, also when it is the commit that fails.
// - **Values come back as they went in.** Text with NUL in it, empty blobs, negative zero,
//   `Int64.min`. Two exceptions are SQLite's: a NaN is stored as NULL, and a column declared REAL
//   drops the sign of zero. Text that is not UTF-8 is repaired, never trapped on.
// - **Bytes on disk never trap.** Whatever the file or its SQL does wrong is a `SQLiteError` that
//   names what could not be done, why, and the statement.
// - **A hostile schema gets nothing.** Double-quoted strings are off (a misspelt column is an
//   error), the schema is untrusted, and defensive mode refuses writes that could corrupt a file.
//
// Indices are SQLite's: parameters count from 1, columns from 0.

/// The SQLite library that this process runs with, which may be newer than the one it was built
/// against.
public enum SQLiteLibrary {
    /// For example `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }
}
