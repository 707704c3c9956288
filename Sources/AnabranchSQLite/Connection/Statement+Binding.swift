public import CSQLite

// Parameters count from 1. Binding throws `misuse` between the first step of a statement and its
// reset, `range` for an index that it does not have, and `tooBig` beyond SQLite's limit.
//
// Text and blobs are copied. SQLite would allocate memory for each copy. Short values, which are
// most values of most rows, are instead copied to memory that the statement keeps for each
// parameter.
extension Statement {
    /// The number of parameters.
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// Binds an integer.
    @inlinable
    public func bind(_ value: Int64, at index: Int) throws {
        let status = sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value)
        if status != SQLITE_OK { throw bindingError(status, at: index) }
    }

    /// Binds an integer.
    @inlinable
    public func bind(_ value: Int, at index: Int) throws {
        try bind(Int64(value), at: index)
    }

    /// Binds a floating-point number; SQLite stores a NaN as NULL.
    @inlinable
    public func bind(_ value: Double, at index: Int) throws {
        let status = sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value)
        if status != SQLITE_OK { throw bindingError(status, at: index) }
    }

    /// Binds a text.
    @inlinable
    public func bind(_ value: String, at index: Int) throws {
        var value = value
        let status = value.withUTF8 { text in
            if text.count <= Self.shortLength, let place = shortPlace(at: index) {
                if let start = text.baseAddress {
                    place.copyMemory(from: start, byteCount: text.count)
                }
                return csqlite_bind_static_text(
                    handle, Int32(truncatingIfNeeded: index), place, UInt64(text.count))
            }
            return csqlite_bind_text(
                handle, Int32(truncatingIfNeeded: index), text.baseAddress, UInt64(text.count))
        }
        if status != SQLITE_OK { throw bindingError(status, at: index) }
    }

    /// The greatest number of bytes of a text or blob that is copied to the statement's own memory.
    @usableFromInline static var shortLength: Int { 64 }

    /// The statement's memory for a parameter's short value.
    ///
    /// - Returns: `nil` if the parameter cannot be bound now; SQLite's call then returns the error.
    @inlinable
    func shortPlace(at index: Int) -> UnsafeMutableRawPointer? {
        if isRunning { return nil }
        if shortPlaces.count == 0 { makeShortPlaces() }
        let offset = (index - 1) * Self.shortLength
        guard index > 0, offset < shortPlaces.count else { return nil }
        return shortPlaces.baseAddress?.advanced(by: offset)
    }

    @usableFromInline
    func makeShortPlaces() {
        shortPlaces = .allocate(byteCount: parameterCount * Self.shortLength, alignment: 8)
    }

    /// Binds a blob; an empty one is not NULL.
    @inlinable
    public func bind(_ value: [UInt8], at index: Int) throws {
        try value.withUnsafeBytes { bytes in try bind(bytes, at: index) }
    }

    /// Binds a blob; an empty one is not NULL. The bytes are copied.
    @inlinable
    public func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws {
        let status: Int32
        if value.count <= Self.shortLength, let place = shortPlace(at: index) {
            if let start = value.baseAddress {
                place.copyMemory(from: start, byteCount: value.count)
            }
            status = csqlite_bind_static_blob(
                handle, Int32(truncatingIfNeeded: index), place, UInt64(value.count))
        } else {
            status = csqlite_bind_blob(
                handle, Int32(truncatingIfNeeded: index), value.baseAddress, UInt64(value.count))
        }
        if status != SQLITE_OK { throw bindingError(status, at: index) }
    }

    /// Binds NULL.
    @inlinable
    public func bindNull(at index: Int) throws {
        let status = sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index))
        if status != SQLITE_OK { throw bindingError(status, at: index) }
    }

    /// Binds a value of any storage class.
    @inlinable
    public func bind(_ value: SQLiteValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        }
    }

    /// Binds a blob without a copy.
    ///
    /// `bytes` must stay valid and unchanged until another value is bound or the statement is
    /// released.
    @inlinable
    public func unsafeBindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
        let status = csqlite_bind_static_blob(
            handle, Int32(truncatingIfNeeded: index), bytes.baseAddress, UInt64(bytes.count))
        if status != SQLITE_OK { throw bindingError(status, at: index) }
    }

    /// Binds a large blob for one run without a copy; afterwards the parameter is NULL.
    ///
    /// - Parameters:
    ///   - bytes: The memory, valid and unchanged as long as `owner` lives.
    ///   - owner: The owner of the memory, kept until the statement is reset.
    package func bind(
        _ bytes: UnsafeRawBufferPointer, ownedBy owner: AnyObject, at index: Int
    ) throws {
        try unsafeBindBlob(bytes, at: index)
        lent.append((Int32(truncatingIfNeeded: index), owner))
    }

    @usableFromInline
    func bindingError(_ status: Int32, at index: Int) -> SQLiteError {
        let action = "bind parameter \(index) of \(SQLiteError.quoted(sql))"
        guard handle != nil else { return .closed(action: "bind parameter \(index)") }
        if isRunning {
            return .misuse(action: action, cause: "it is being stepped: reset it first", sql: sql)
        }
        return SQLiteError(status: status, database: connection.database, action: action, sql: sql)
    }
}
