// For statements that run rarely: one line in place of preparing, binding and stepping.
extension Connection {
    /// Runs a cached statement to its end.
    public func run(_ sql: String, _ values: SQLiteValue...) throws {
        try bound(sql, values).run()
    }

    /// - Returns: The first column of the first row; `nil` when there is no row.
    public func firstValue(_ sql: String, _ values: SQLiteValue...) throws -> SQLiteValue? {
        let statement = try bound(sql, values)
        // A value can be written as nil itself, so `? :` would make a null of no row.
        guard try statement.step() else { return Optional.none }
        return statement.value(at: 0)
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
