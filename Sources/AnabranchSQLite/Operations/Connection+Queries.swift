// Shortcuts for statements that run rarely: one call prepares, binds and steps.
extension Connection {
    /// Runs a cached statement to its end.
    public func run(_ sql: String, _ values: SQLiteValue...) throws {
        try bound(sql, values).run()
    }

    /// Runs a cached query and returns the first column of the first row; `nil` without a row.
    public func firstValue(_ sql: String, _ values: SQLiteValue...) throws -> SQLiteValue? {
        let statement = try bound(sql, values)
        // An explicit `none`, because SQLiteValue is expressible by nil: `nil` would be an SQL
        // null.
        guard try statement.step() else { return Optional.none }
        return statement.value(at: 0)
    }

    /// Runs a cached query and returns every row with every column.
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
