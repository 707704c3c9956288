public import CSQLite

/// The arguments of a call of a custom function, valid only during the call.
///
/// The typed accessors convert as those of ``Statement`` do and create no ``SQLiteValue``.
public struct FunctionArguments: RandomAccessCollection {
    @usableFromInline let context: OpaquePointer
    @usableFromInline let values: UnsafeBufferPointer<OpaquePointer?>

    /// Always 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of arguments.
    @inlinable public var endIndex: Int { values.count }

    /// The argument at an index.
    @inlinable
    public subscript(index: Int) -> SQLiteValue {
        switch type(at: index) {
        case .null: .null
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(string(at: index))
        case .blob: .blob(withBytes(at: index) { [UInt8]($0) })
        }
    }

    /// The storage class of the argument.
    @inlinable
    public func type(at index: Int) -> SQLiteValue.Kind {
        SQLiteValue.Kind(rawValue: sqlite3_value_type(values[index])) ?? .null
    }

    /// Returns true if the argument is NULL.
    @inlinable
    public func isNull(at index: Int) -> Bool { type(at: index) == .null }

    /// The argument as an integer.
    @inlinable
    public func int64(at index: Int) -> Int64 { sqlite3_value_int64(values[index]) }

    /// The argument as a floating-point number.
    @inlinable
    public func double(at index: Int) -> Double { sqlite3_value_double(values[index]) }

    /// The argument as a text.
    @inlinable
    public func string(at index: Int) -> String {
        withUTF8(at: index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the bytes of the argument as text in UTF-8, without copying them.
    ///
    /// SQLite converts another type to text first; NULL gives no bytes. The bytes are valid only
    /// within `body`, and SQLite does not check that they are UTF-8.
    @inlinable
    public func withUTF8<Result, Failure: Error>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = sqlite3_value_text(values[index])
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(values[index]))
        return try body(UnsafeBufferPointer(start: start, count: count))
    }

    /// Calls `body` with the bytes of a blob, or of a text in UTF-8, without copying them.
    ///
    /// They are valid only within `body`.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = sqlite3_value_blob(values[index])
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(values[index]))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// An object derived from a constant argument, created once for a statement; for example, a
    /// compiled pattern.
    ///
    /// If the argument is not a constant, or memory is short, SQLite discards the object, and
    /// `make` is called for every row.
    public func derived<Derived: AnyObject>(
        from index: Int, _ make: () throws -> Derived
    ) rethrows -> Derived {
        let index = Int32(truncatingIfNeeded: index)
        if let kept = sqlite3_get_auxdata(context, index) {
            let object = Unmanaged<AnyObject>.fromOpaque(kept).takeUnretainedValue()
            if let derived = object as? Derived { return derived }
        }
        let derived = try make()
        let kept = Unmanaged<AnyObject>.passRetained(derived).toOpaque()
        sqlite3_set_auxdata(context, index, kept) { kept in
            if let kept { Unmanaged<AnyObject>.fromOpaque(kept).release() }
        }
        return derived
    }
}

@available(*, unavailable)
extension FunctionArguments: Sendable {}
