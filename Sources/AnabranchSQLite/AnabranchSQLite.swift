import CSQLite

// # The module AnabranchSQLite
//
// This is the only module that uses SQLite's C interface. It adds as little as possible: a
// `Connection` owns one `sqlite3`, and a `Statement` uses one `sqlite3_stmt`. The calls that run
// once a row or once a value are inlinable and are one C call each.
//
// ## Guarantees
//
// - **Confinement.** A connection is opened without SQLite's mutexes and is not `Sendable`: its
//   owner ensures that one thread at a time uses it. `ConnectionPool` is `Sendable` and lends each
//   of its readers to one caller at a time.
// - **Ownership.** A statement keeps its connection alive. Closing a connection finalizes all its
//   statements; such a statement throws when it is bound or stepped, and its columns read as NULL.
//   There is no dangling pointer, in whatever order objects are released.
// - **Statements are reset.** A statement that returned its last row or failed is reset before
//   `step` returns. One that is released before its last row is reset at once, so no cursor keeps a
//   read transaction open. A cached statement has one borrower at a time; a second caller with the
//   same text, for example in a loop over its rows, gets a new statement.
// - **Transactions end.** `transaction` commits, or it throws and everything is rolled back, even
//   if the commit fails.
// - **Values keep their bytes.** This includes text with NUL, empty blobs, negative zero and
//   `Int64.min`. Two exceptions are SQLite's: a NaN is stored as NULL, and a column declared REAL
//   drops the sign of zero. Text that is not UTF-8 is repaired and never traps.
// - **Bytes on disk never trap.** Every fault of the file or its SQL throws a `SQLiteError`, which
//   names the action that failed, the cause and the statement.
// - **A hostile schema is harmless.** Double-quoted strings are off (a misspelt column is an
//   error), the schema is untrusted, and defensive mode refuses writes that could corrupt a file.
//
// Indices are SQLite's: parameters count from 1, columns from 0.

/// The SQLite library in this process.
///
/// It may be newer than the one that the program was built with.
public enum SQLiteLibrary {
    /// The version of the library, for example `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }
}
