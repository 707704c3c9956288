public import CSQLite

/// One column of the row that a statement stands on, read where SQLite has it.
///
/// It is valid until the statement is stepped, reset or released. Reading through it spares, for
/// every call but the first, the look-up of the column and the entry into SQLite's library, which
/// cost as much as the reading. SQLite allows it because connections are opened without a mutex
/// of their own.
///
/// Source: https://www.sqlite.org/c3ref/value.html, on unprotected values.
public struct UnsafeColumn {
    @usableFromInline let value: OpaquePointer

    @inlinable
    init(_ value: OpaquePointer) { self.value = value }

    @inlinable public var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }

    /// The storage class of the value, before any conversion that a reader asked for.
    @inlinable public var type: SQLiteValue.Kind {
        SQLiteValue.Kind(code: sqlite3_value_type(value))
    }

    @inlinable public var int64: Int64 { sqlite3_value_int64(value) }
    @inlinable public var double: Double { sqlite3_value_double(value) }

    /// Every byte of the text, NUL included; what is not UTF-8 becomes U+FFFD.
    @inlinable public var string: String {
        guard let text = sqlite3_value_text(value) else { return "" }
        let count = Int(sqlite3_value_bytes(value))
        return String(utf8: UnsafeBufferPointer(start: text, count: count))
    }

    @inlinable public var bytes: [UInt8] { withBytes { [UInt8]($0) } }

    /// Lends the bytes of a blob, or of a text in UTF-8, without a copy.
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
    /// - Returns: A column of NULL where there is no row or no such column.
    @inlinable
    public func unsafeColumn(at column: Int) -> UnsafeColumn {
        UnsafeColumn(sqlite3_column_value(handle, Int32(truncatingIfNeeded: column)))
    }
}
