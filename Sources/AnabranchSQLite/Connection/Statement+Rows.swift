import CSQLite

extension Statement {
    /// Runs a query up to its first row, and calls the body for it.
    ///
    /// - Returns: `nil` if there is no row.
    @inlinable
    public func first<Result>(_ body: (Statement) throws -> Result?) throws -> Result? {
        defer { reset() }
        return try step() ? body(self) : nil
    }

    /// Runs a query to its end, and calls the body for each row.
    @inlinable
    public func map<Result>(_ body: (Statement) throws -> Result) throws -> [Result] {
        defer { reset() }
        var results: [Result] = []
        while try step() { results.append(try body(self)) }
        return results
    }

    /// Returns the SELECT, without the word itself, that ``takeRows(_:)`` runs: one call of a
    /// function with all columns.
    ///
    /// - Parameter columns: SQL of each column.
    /// - Returns: `nil` for more columns than a function can take.
    public static func takingRows(of columns: [String]) -> String? {
        guard columns.count <= RowFunction.greatestColumnCount else { return nil }
        return "\(RowFunction.name)(\(columns.joined(separator: ", ")))"
    }

    /// Runs a SELECT of ``takingRows(of:)`` to its end and calls the body for each row.
    ///
    /// SQLite promises no order of the rows. The body may run other statements of the connection,
    /// but not this one.
    ///
    /// - Throws: Errors of `body` as they are, which end the run; ``SQLiteError``.
    public func takeRows(_ body: (UnsafeRow) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let run = RowFunction.Run(body)
            let outer = connection.rowFunction.current
            connection.rowFunction.current = .passUnretained(run)
            defer { connection.rowFunction.current = outer }
            try withExtendedLifetime(run) {
                do {
                    if try step() { rowCount = run.rowCount }
                } catch {
                    throw run.failure ?? error
                }
            }
            reset()
        }
    }

    /// Runs any other SELECT to its end and calls the body for each row, in the order of the rows.
    ///
    /// - Throws: Errors of `body`, which end the run; ``SQLiteError``.
    public func forEachRow(_ body: (UnsafeRow) throws -> Void) throws {
        let count = columnCount
        try withUnsafeTemporaryAllocation(of: OpaquePointer?.self, capacity: max(count, 1)) {
            values in
            guard let first = values.baseAddress else { return }
            defer { reset() }
            while try step() {
                for column in 0..<count {
                    (first + column).initialize(to: unsafeColumn(at: column).value)
                }
                try body(UnsafeRow(first))
            }
        }
    }
}
