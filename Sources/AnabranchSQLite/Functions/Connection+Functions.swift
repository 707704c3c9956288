import CSQLite

/// The properties of a custom function that SQLite may rely on.
public struct FunctionTraits: OptionSet, Sendable {
    /// The bits of the traits.
    public let rawValue: Int

    /// Creates traits from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Equal arguments always give equal results.
    ///
    /// The function may be used in an index, and SQLite may call it less often.
    public static let deterministic = FunctionTraits(rawValue: 1)

    /// The function has no side effects and reveals nothing about the process.
    ///
    /// Views, triggers, indexes and generated columns of a file may call it. They can't call a
    /// function without this trait, whether or not the schema is trusted.
    public static let innocuous = FunctionTraits(rawValue: 2)

    var flags: Int32 {
        SQLITE_UTF8 | (contains(.deterministic) ? SQLITE_DETERMINISTIC : 0)
            | (contains(.innocuous) ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
    }
}

/// A function that SQLite owns.
///
/// SQLite releases it when the function is replaced or the connection closes, so its connection
/// always exists.
private final class CustomFunction {
    let body: (FunctionArguments) throws -> SQLiteValue
    unowned(unsafe) let connection: Connection

    init(connection: Connection, body: @escaping (FunctionArguments) throws -> SQLiteValue) {
        self.connection = connection
        self.body = body
    }

    func call(_ context: OpaquePointer, _ values: UnsafeBufferPointer<OpaquePointer?>) {
        do {
            let value = try body(FunctionArguments(context: context, values: values))
            FunctionResult.answer(value, to: context)
        } catch {
            connection.fail(context, with: error)
        }
    }
}

extension Connection {
    /// Ends the statement that called a function with an error.
    func fail(_ context: OpaquePointer, with error: any Error) {
        functionFailure = error
        let text = (error as? SQLiteError)?.message ?? String(describing: error)
        sqlite3_result_error(context, text, -1)
        if let error = error as? SQLiteError, error.extendedCode != SQLITE_OK {
            sqlite3_result_error_code(context, error.extendedCode)
        }
    }
}

enum FunctionResult {
    static func answer(_ value: SQLiteValue, to context: OpaquePointer) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { csqlite_result_text(context, $0.baseAddress, UInt64($0.count)) }
        case .blob(let value):
            value.withUnsafeBytes {
                csqlite_result_blob(context, $0.baseAddress, UInt64($0.count))
            }
        }
    }
}

private final class CustomCollation {
    let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

    init(_ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
        self.compare = compare
    }
}

extension Connection {
    /// Defines an SQL function and replaces one of the same name and argument count.
    ///
    /// An error of `body` fails the calling statement and is the `underlying` error of that
    /// statement's error. `body` may run other statements on the connection; it must not close it
    /// or keep a strong reference to it.
    ///
    /// - Parameter argumentCount: 0…127; `nil` accepts any number.
    public func createFunction(
        _ name: String, argumentCount: Int?, traits: FunctionTraits = [],
        body: @escaping (FunctionArguments) throws -> SQLiteValue
    ) throws {
        let action = "define the function \(name)"
        let database = try openDatabase(to: action)
        let function = CustomFunction(connection: self, body: body)
        // SQLite calls the destructor also if the definition fails.
        let status = sqlite3_create_function_v2(
            database, name, argumentCount.map { Int32(clamping: $0) } ?? -1, traits.flags,
            Unmanaged.passRetained(function).toOpaque(),
            { context, count, values in
                guard let context, let function = sqlite3_user_data(context) else { return }
                Unmanaged<CustomFunction>.fromOpaque(function).takeUnretainedValue()
                    .call(context, UnsafeBufferPointer(start: values, count: Int(count)))
            }, nil, nil,
            { function in
                if let function { Unmanaged<CustomFunction>.fromOpaque(function).release() }
            })
        guard status == SQLITE_OK else {
            throw SQLiteError(status: status, database: database, action: action)
        }
    }

    /// Defines a collating sequence and replaces one of the same name.
    ///
    /// - Parameter compare: Returns a negative number, zero or a positive number for two texts in
    ///   UTF-8, which are valid only during the call. It must be a total order, the same in every
    ///   process that opens the file: an index in another order reads as corrupt.
    public func createCollation(
        _ name: String,
        compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    ) throws {
        let action = "define the collation \(name)"
        let database = try openDatabase(to: action)
        let collation = Unmanaged.passRetained(CustomCollation(compare))
        let status = sqlite3_create_collation_v2(
            database, name, SQLITE_UTF8, collation.toOpaque(),
            { collation, leftCount, left, rightCount, right in
                guard let collation else { return 0 }
                let order = Unmanaged<CustomCollation>.fromOpaque(collation).takeUnretainedValue()
                    .compare(
                        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                        UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
                return Int32(order.signum())
            },
            { collation in
                if let collation { Unmanaged<CustomCollation>.fromOpaque(collation).release() }
            })
        guard status == SQLITE_OK else {
            // Unlike for functions, SQLite has not called the destructor.
            collation.release()
            throw SQLiteError(status: status, database: database, action: action)
        }
    }
}
