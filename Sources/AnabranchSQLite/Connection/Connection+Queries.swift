// For statements that run rarely: one line in place of preparing, binding and stepping.
extension Connection {
    /// Runs a cached statement to its end.
    public func run(_ sql: String, _ values: SQLiteValue...) throws {
        try bound(sql, values).run()
    }

    /// - Returns: The first column of the first row; `nil` when there is no row.
    public func firstValue(_ sql: String, _ values: SQLiteValue...) throws -> SQLiteValue? {
        let statement = try bound(sql, values)
        return try statement.step() ? statement.value(at: 0) : nil
    }

    /// - Returns: Every row with every column.
    public func rows(_ sql: String, _ values: SQLiteValue...) throws -> [[SQLiteValue]] {
        let statement = try bound(sql, values)
        var rows: [[SQLiteValue]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.value(at: $0) })
        }
        return rows
    }

    private func bound(_ sql: String, _ values: [SQLiteValue]) throws -> Statement {
        let statement = try cached(sql)
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        return statement
    }
}
