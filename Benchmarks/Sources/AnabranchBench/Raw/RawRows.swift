import CRawSQLite

/// The C function that SQLite calls for each row of an aggregate, with the context, the number of
/// arguments and the arguments.
typealias RawRowFunction =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

extension RawDatabase {
    /// Runs a query that has an aggregate `take(…)` over the columns to read as its only result.
    ///
    /// SQLite calls the function for each row within its own loop and passes all columns at once.
    /// That takes two thirds of the time of `sqlite3_step` with a call for each column, and is the
    /// fastest way known to read many rows.
    ///
    /// - Parameters:
    ///   - state: The value that ``state(of:as:)`` returns within the function.
    ///   - function: Receives the arguments of `take` for each row.
    func take<State>(
        _ sql: String, into state: inout State, _ function: @escaping RawRowFunction
    ) throws {
        try withUnsafeMutablePointer(to: &state) { state in
            let status = sqlite3_create_function_v2(
                handle, "take", -1, SQLITE_UTF8, state, nil, function,
                { sqlite3_result_null($0) }, nil)
            guard status == SQLITE_OK else {
                throw RawFailure(action: "define a function", database: handle)
            }
            let statement = try prepare(sql)
            defer { sqlite3_finalize(statement) }
            guard sqlite3_step(statement) == SQLITE_ROW else {
                throw RawFailure(action: sql, database: handle)
            }
        }
    }

    /// The state that was passed to ``take(_:into:_:)``, for its function.
    @inline(__always)
    static func state<State>(
        of context: OpaquePointer?, as type: State.Type
    ) -> UnsafeMutablePointer<State>? {
        sqlite3_user_data(context)?.assumingMemoryBound(to: State.self)
    }
}

extension String {
    /// Creates the Swift string of a text, which Anabranch's side creates too.
    ///
    /// Swift stores up to 15 bytes in the string itself, and creates such a string fastest if the
    /// bytes are written to their place. Reading SQLite's bytes without a string would save a
    /// quarter of a fetch's time, but the result could not be the value of an attribute.
    @inline(__always)
    init(raw value: OpaquePointer?) {
        guard let text = sqlite3_value_text(value) else {
            self = ""
            return
        }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
        guard bytes.count <= 15 else {
            self = String(decoding: bytes, as: UTF8.self)
            return
        }
        self.init(unsafeUninitializedCapacity: 15) { place in
            _ = place.initialize(fromContentsOf: bytes)
            return bytes.count
        }
    }
}
