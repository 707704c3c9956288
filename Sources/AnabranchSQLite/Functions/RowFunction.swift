import CSQLite

/// The aggregate function `take_row`, to which a statement hands its rows inside SQLite's loop.
///
/// A row that `sqlite3_step` returns costs leaving the loop, entering it again, and a call for each
/// column: half as much again as handing it to a function.
final class RowFunction {
    static let name = "take_row"
    /// SQLite's limit is 127.
    static let greatestColumnCount = 120

    /// One run of a statement.
    struct Run {
        let body: (UnsafeRow) throws -> Void
        var rowCount = 0
        /// The error of the body, which has ended the run.
        var failure: (any Error)?
    }

    /// The innermost run. A body can run other statements, but only to their end.
    @exclusivity(unchecked) var current: UnsafeMutablePointer<Run>?

    private func take(_ values: UnsafeMutablePointer<OpaquePointer?>, _ context: OpaquePointer) {
        guard let current else {
            return sqlite3_result_error(context, "take_row takes rows of a running query only", -1)
        }
        current.pointee.rowCount &+= 1
        do {
            try current.pointee.body(UnsafeRow(values))
        } catch {
            current.pointee.failure = error
            sqlite3_result_error_code(context, SQLITE_ABORT)
        }
    }

    /// Defines the function for a connection, which owns it.
    func define(in database: OpaquePointer) -> Int32 {
        // SQLite calls the destructor also if the definition fails.
        sqlite3_create_function_v2(
            database, Self.name, -1, FunctionTraits().flags,
            Unmanaged.passRetained(self).toOpaque(), nil,
            { context, _, values in
                guard let context, let values, let function = sqlite3_user_data(context) else {
                    return
                }
                Unmanaged<RowFunction>.fromOpaque(function)
                    ._withUnsafeGuaranteedRef { $0.take(values, context) }
            },
            { context in sqlite3_result_null(context) },
            { function in
                if let function { Unmanaged<RowFunction>.fromOpaque(function).release() }
            })
    }
}
