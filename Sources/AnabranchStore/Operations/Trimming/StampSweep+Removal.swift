import AnabranchSQLite

extension StampSweep {
    /// The number of stamps that one transaction writes anew.
    private static let sliceCount = 1000

    /// Removes the stamps that nothing names.
    ///
    /// The stamps of a slice are deleted together, and those that stay are inserted again in their
    /// order. So they fill the pages. If only the unnamed ones were deleted, pages would stay half
    /// empty for good, because new stamps come at the end.
    ///
    /// - Returns: The number of removed stamps; `nil` if the sweep has ended early.
    func removeUnnamed(in store: Store) throws -> Int? {
        var count = 0
        for slice in candidates.slices(of: Self.sliceCount) {
            guard try store.write({ try writeAnew(slice, $0.connection) }) else { return nil }
            count += slice.unnamed.count
        }
        return count
    }

    private func writeAnew(_ slice: Candidates.Slice, _ connection: Connection) throws -> Bool {
        guard try StampCounters(connection: connection).found() == found else { return false }
        let remaining = try rows(of: slice, connection)
        try connection.run(
            "DELETE FROM ab_stamp WHERE position BETWEEN ? AND ?",
            .integer(slice.range.lowerBound), .integer(slice.range.upperBound))
        let insertion = try connection.cached(
            "INSERT INTO ab_stamp (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)")
        for row in remaining {
            for (index, value) in row.enumerated() { try insertion.bind(value, at: index + 1) }
            try insertion.run()
        }
        return true
    }

    private static let columns = "position, replica, hlc, seq, server_position, author"

    /// The rows of a slice that stay, with those that the sweep did not look at.
    private func rows(of slice: Candidates.Slice, _ connection: Connection) throws
        -> [[SQLiteValue]]
    {
        let statement = try connection.cached(
            """
            SELECT \(Self.columns) FROM ab_stamp WHERE position BETWEEN ? AND ? ORDER BY position
            """)
        try statement.bind(slice.range.lowerBound, at: 1)
        try statement.bind(slice.range.upperBound, at: 2)
        var rows: [[SQLiteValue]] = []
        while try statement.step() {
            guard !slice.unnamed.contains(statement.int64(at: 0)) else { continue }
            rows.append((0..<statement.columnCount).map { statement.value(at: $0) })
        }
        return rows
    }

    /// Registers that the stamps were swept that had been added before.
    func finish(in store: Store) throws {
        try store.write { try StampCounters(connection: $0.connection).add(-added) }
    }

    /// Lets the next sweep come after half as many saves, because this one has ended early.
    func giveUp(in store: Store) throws {
        try store.write { try StampCounters(connection: $0.connection).add(-added / 2) }
    }
}
