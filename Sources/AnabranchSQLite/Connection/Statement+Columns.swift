public import CSQLite

// Columns count from 0 and may be read after `step` has returned `true`. As in SQLite, reading a
// value as another type converts it (NULL reads as 0, "" or no bytes), and a column that does not
// exist reads as NULL.
extension Statement {
    /// The number of columns.
    public var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column; `nil` if it does not exist.
    public func columnName(at column: Int) -> String? {
        sqlite3_column_name(handle, Int32(truncatingIfNeeded: column)).map { String(cString: $0) }
    }

    /// The column as an integer.
    @inlinable
    public func int64(at column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
    }

    /// The column as a floating-point number.
    @inlinable
    public func double(at column: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
    }

    /// Returns true if the column is NULL.
    @inlinable
    public func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    /// The storage class of the value, before any conversion by an accessor.
    @inlinable
    public func type(at column: Int) -> SQLiteValue.Kind {
        SQLiteValue.Kind(code: sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)))
    }

    /// The column as a text, including NULs; bytes that are not UTF-8 become U+FFFD.
    @inlinable
    public func string(at column: Int) -> String {
        let column = Int32(truncatingIfNeeded: column)
        guard let text = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(unsafeUninitializedCapacity: count) { buffer in
            if count > 0 { buffer.baseAddress?.initialize(from: text, count: count) }
            return count
        }
    }

    /// The column as bytes.
    @inlinable
    public func bytes(at column: Int) -> [UInt8] {
        let column = Int32(truncatingIfNeeded: column)
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            UnsafeMutableRawBufferPointer(buffer)
                .copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
            initialized = count
        }
    }

    /// Calls `body` with the bytes of a blob, or of a text in UTF-8, without copying them.
    ///
    /// They are valid only within `body`, and only until the statement is stepped or reset or this
    /// column is read as another type.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        at column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let column = Int32(truncatingIfNeeded: column)
        let start = sqlite3_column_blob(handle, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The column in its storage class.
    @inlinable
    public func value(at column: Int) -> SQLiteValue {
        switch type(at: column) {
        case .null: .null
        case .integer: .integer(int64(at: column))
        case .real: .real(double(at: column))
        case .text: .text(string(at: column))
        case .blob: .blob(bytes(at: column))
        }
    }
}
