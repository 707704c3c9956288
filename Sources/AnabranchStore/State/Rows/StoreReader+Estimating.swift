package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Record numbers are given one after the other, so the rows of a table are dense or nearly so over
// the numbers of each replica. A few runs of neighbours show how dense.
extension StoreReader {
    /// The number of an entity's rows, without sub-entities, estimated from some of them.
    ///
    /// - Parameter limit: The number of rows up to which a table is too small to be estimated.
    /// - Returns: `nil` if the table has no more rows than that: count them.
    package func estimatedCount(
        of entity: EntityDescription, ifMoreThan limit: Int
    ) throws -> Int? {
        let layout = schema.layout(of: entity)
        guard try hasRows(layout.table, moreThan: limit) else { return nil }
        let ranges = try ranges(of: layout.table)
        let total = ranges.reduce(0) { $0 + Double($1.count) }
        let sample = try connection.prepare(
            """
            SELECT count(*), max(ab_pk), total(\(layout.table.hasDiscriminator
                ? "ab_entity = \(layout.number)" : "1"))
            FROM (SELECT * FROM \(layout.table.name) WHERE ab_pk BETWEEN ? AND ?
                ORDER BY ab_pk LIMIT \(Self.rowsOfRun))
            """)
        return Int(
            try ranges.reduce(0) { sum, range in
                let runs = Int((Double(range.count) / total * Self.runs).rounded(.up))
                return sum + (try Self.estimate(sample, range, runs: runs))
            }.rounded())
    }

    private static let runs = 256.0
    private static let rowsOfRun = 32

    private func hasRows(_ table: TableLayout, moreThan limit: Int) throws -> Bool {
        let count = try connection.firstValue(
            "SELECT count(*) FROM (SELECT 1 FROM \(table.name) LIMIT ?)",
            .integer(Int64(limit) + 1))
        return count == .integer(Int64(limit) + 1)
    }

    /// The ranges from the first to the last row of each replica.
    private func ranges(of table: TableLayout) throws -> [ClosedRange<LocalID>] {
        let first = try connection.prepare("SELECT min(ab_pk) FROM \(table.name) WHERE ab_pk >= ?")
        let last = try connection.prepare("SELECT max(ab_pk) FROM \(table.name) WHERE ab_pk < ?")
        func found(_ statement: Statement, _ bound: LocalID) throws -> LocalID? {
            try statement.bind(bound, at: 1)
            defer { statement.reset() }
            guard try statement.step(), !statement.isNull(at: 0) else { return nil }
            return statement.int64(at: 0)
        }
        var ranges: [ClosedRange<LocalID>] = []
        var next: LocalID = 0
        while let lower = try found(first, next) {
            guard lower.ordinal <= Limits.greatestReplicaOrdinal else { break }
            next = LocalID(ordinal: lower.ordinal + 1, number: 0)
            ranges.append(lower...(try found(last, next) ?? lower))
        }
        return ranges
    }

    /// The estimated number of rows in a range.
    private static func estimate(
        _ sample: Statement, _ range: ClosedRange<LocalID>, runs: Int
    ) throws -> Double {
        let distance = max(Int64(range.count) / Int64(runs), 1)
        var (rows, numbers) = (0.0, 0.0)
        for run in 0..<Int64(runs) {
            let start = range.lowerBound + run * distance
            guard start <= range.upperBound else { break }
            try sample.bind(start, range.upperBound)
            defer { sample.reset() }
            guard try sample.step() else { continue }
            let isAtEnd = sample.int64(at: 0) < Int64(rowsOfRun)
            let end = isAtEnd ? range.upperBound : sample.int64(at: 1)
            rows += sample.double(at: 2)
            numbers += Double(end - start + 1)
        }
        return numbers == 0 ? 0 : rows / numbers * Double(range.count)
    }
}
