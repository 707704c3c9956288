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
    final class Run {
        // Every row uses these properties; one thread at a time runs the statement. A closure that
        // is no constant of an object would be retained for every row.
        private let body: (UnsafeRow) throws -> Void
        @exclusivity(unchecked) private(set) var rowCount = 0
        /// The error of the body, which has ended the run.
        @exclusivity(unchecked) private(set) var failure: (any Error)?

        init(_ body: @escaping (UnsafeRow) throws -> Void) { self.body = body }

        fileprivate func take(
            _ values: UnsafeMutablePointer<OpaquePointer?>, _ context: OpaquePointer
        ) {
            rowCount &+= 1
            do {
                try body(UnsafeRow(values))
            } catch {
                failure = error
                sqlite3_result_error_code(context, SQLITE_ABORT)
            }
        }
    }

    /// The innermost run, which its caller keeps. A body can run other statements, but only to
    /// their end.
    @exclusivity(unchecked) var current: Unmanaged<Run>?

    private func take(_ values: UnsafeMutablePointer<OpaquePointer?>, _ context: OpaquePointer) {
        guard let current else {
            return sqlite3_result_error(context, "take_row takes rows of a running query only", -1)
        }
        current._withUnsafeGuaranteedRef { $0.take(values, context) }
    }

    /// Defines the function for a connection, which owns it.
    func define(in database: OpaquePointer) -> Int32 {
        // The file can't call it. SQLite calls the destructor also if the definition fails.
        sqlite3_create_function_v2(
            database, Self.name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
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
