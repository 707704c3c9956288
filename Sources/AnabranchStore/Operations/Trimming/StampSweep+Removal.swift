import AnabranchSQLite

extension StampSweep {
    /// The number of stamps that one transaction looks at.
    private static let sliceCount = 1000
    /// The number of rows that one transaction inserts again at most.
    private static let rowLimit = 2 * sliceCount

    /// Removes the stamps that nothing names.
    ///
    /// The stamps of a slice are deleted together, and those that stay are inserted again in their
    /// order. So they fill the pages. If only the unnamed ones were deleted, pages would stay half
    /// empty permanently, because new stamps come at the end.
    ///
    /// - Returns: The number of removed stamps; `nil` if the sweep has ended early.
    func removeUnnamed(in store: Store) throws -> Int? {
        var count = 0
        for slice in candidates.slices(of: Self.sliceCount) {
            guard try store.write({ try remove(slice, $0.connection) }) else { return nil }
            count += slice.unnamed.count
        }
        return count
    }

    private func remove(_ slice: Candidates.Slice, _ connection: Connection) throws -> Bool {
        guard try StampCounters(connection: connection).found() == found else { return false }
        let rows = try rows(in: slice.range, connection)
        if rows.count <= Self.rowLimit {
            try rewrite(rows, of: slice, connection)
        } else {
            // Another process has removed many saves from the log since the stamps were read.
            try delete(slice.unnamed, connection)
        }
        return true
    }

    /// The rows of a range, with those that the sweep did not look at. There may be more than
    /// `rowLimit`; then one of these is returned too.
    private func rows(in range: ClosedRange<Int64>, _ connection: Connection) throws
        -> [[SQLiteValue]]
    {
        try connection.cached(
            "SELECT * FROM ab_stamp WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?",
            range.lowerBound, range.upperBound, Int64(Self.rowLimit + 1)
        ).map { statement in
            (0..<statement.columnCount).map { statement.value(at: $0) }
        }
    }

    private func rewrite(
        _ rows: [[SQLiteValue]], of slice: Candidates.Slice, _ connection: Connection
    ) throws {
        try connection.run(
            "DELETE FROM ab_stamp WHERE position BETWEEN ? AND ?",
            .integer(slice.range.lowerBound), .integer(slice.range.upperBound))
        guard let columnCount = rows.first?.count else { return }
        let marks = Array(repeating: "?", count: columnCount).joined(separator: ", ")
        let insertion = try connection.cached("INSERT INTO ab_stamp VALUES (\(marks))")
        var unnamed = slice.unnamed[...]
        for row in rows {
            if let next = unnamed.first, row[0] == .integer(next) {
                unnamed.removeFirst()
                continue
            }
            for (index, value) in row.enumerated() { try insertion.bind(value, at: index + 1) }
            try insertion.run()
        }
    }

    private func delete(_ positions: [Int64], _ connection: Connection) throws {
        let removal = try connection.cached("DELETE FROM ab_stamp WHERE position = ?")
        for position in positions {
            try removal.bind(position, at: 1)
            try removal.run()
        }
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
