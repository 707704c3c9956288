public import CSQLite

/// One column of a statement's current row, read from SQLite's memory.
///
/// It is valid until the statement is stepped, reset or released. It saves the lookup of the column
/// and the call into SQLite's library for every read after the first; these cost as much as the
/// read. SQLite allows it because connections are opened without a mutex of their own.
///
/// Source: https://www.sqlite.org/c3ref/value.html, on unprotected values.
public struct UnsafeColumn {
    @usableFromInline let value: OpaquePointer

    @inlinable
    init(_ value: OpaquePointer) { self.value = value }

    /// True if the value is NULL.
    @inlinable public var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }

    /// The storage class of the value, before any conversion by an accessor.
    @inlinable public var type: SQLiteValue.Kind {
        SQLiteValue.Kind(code: sqlite3_value_type(value))
    }

    /// The value as an integer.
    @inlinable public var int64: Int64 { sqlite3_value_int64(value) }
    /// The value as a floating-point number.
    @inlinable public var double: Double { sqlite3_value_double(value) }

    /// The value as a text, including NULs; bytes that are not UTF-8 become U+FFFD.
    @inlinable public var string: String {
        guard let text = sqlite3_value_text(value) else { return "" }
        let count = Int(sqlite3_value_bytes(value))
        return String(utf8: UnsafeBufferPointer(start: text, count: count))
    }

    /// The value as bytes.
    @inlinable public var bytes: [UInt8] { withBytes { [UInt8]($0) } }

    /// Calls `body` with the bytes of a blob, or of a text in UTF-8, without copying them.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = sqlite3_value_blob(value)
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension Statement {
    /// A column of the current row; NULL if there is no row or no such column.
    @inlinable
    public func unsafeColumn(at column: Int) -> UnsafeColumn {
        UnsafeColumn(sqlite3_column_value(handle, Int32(truncatingIfNeeded: column)))
    }
}
