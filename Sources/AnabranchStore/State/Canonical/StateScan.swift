import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Computes the checksums of a file's records, even if some records are damaged.
///
/// The checksums are not stored, so a save pays nothing for them. A comparison reads each record
/// once.
struct StateScan {
    private let reader: StoreReader
    private let rows: CanonicalRows
    private let replicas: ReplicaTable
    private let identifiers: Statement

    /// The number of identities that are looked up together.
    private static let window = 1000

    init(_ reader: StoreReader) throws {
        self.reader = reader
        replicas = try reader.replicas()
        rows = try CanonicalRows(reader, replicas: replicas)
        let range = "BETWEEN ?1 AND ?2"
        let own =
            try MergedDuplicateRows.isEmpty(on: reader.connection)
            ? "" : MergedDuplicateRows.rowsOfOthers
        var selects = reader.schema.tables.enumerated().filter(\.element.isSynced).map {
            "SELECT ab_pk AS id, \($0) FROM \($1.name) WHERE ab_pk \(range)\(own)"
        }
        selects.append(
            "SELECT record, \(reader.schema.tables.count) FROM ab_deferred_record "
                + "WHERE record \(range)")
        identifiers = try reader.connection.cached(
            selects.joined(separator: " UNION ALL ") + " ORDER BY 1 LIMIT \(Self.window)")
    }

    /// Calls the body for the records of a range, ordered by identity. A record that is in two
    /// tables occurs twice.
    ///
    /// - Parameter body: Returns true to continue.
    func forEach(in range: RecordRange, _ body: (RangeSummary.Entry) throws -> Bool) throws {
        let order = replicas.replicas.enumerated().sorted { $0.element < $1.element }
        for (ordinal, replica) in order {
            guard let numbers = range.numbers(of: replica) else { continue }
            var next = LocalID(ordinal: Int64(ordinal), number: numbers.lowerBound)
            let last = LocalID(ordinal: Int64(ordinal), number: numbers.upperBound)
            while next <= last {
                let found = try identities(next, last)
                let isWhole = found.count < Self.window
                // Rows of one record that is in two tables must stay together.
                let end = isWhole ? last + 1 : found.last?.id ?? last + 1
                guard end > next else {
                    throw StoreError(
                        .corrupt, "Can't read the records because they are not in order.",
                        records: [next])
                }
                for row in found where row.id < end {
                    guard let record = replicas.record(row.id) else { continue }
                    guard
                        try body(.init(record: record, checksum: try checksum(of: row)))
                    else { return }
                }
                next = end
            }
        }
    }

    func sum(of range: RecordRange) throws -> StateChecksum {
        var sum = StateChecksum.zero
        try forEach(in: range) {
            sum = sum &+ $0.checksum
            return true
        }
        return sum
    }

    /// The checksums of a range's records.
    ///
    /// - Parameter limit: The greatest number of entries, from the beginning of the range.
    func entries(of range: RecordRange, limit: Int = .max) throws -> [RangeSummary.Entry] {
        var entries: [RangeSummary.Entry] = []
        try forEach(in: range) {
            entries.append($0)
            return entries.count < limit
        }
        return entries
    }

    private func identities(
        _ first: LocalID, _ last: LocalID
    ) throws -> [(id: LocalID, table: Int)] {
        try identifiers.bind(first, last)
        return try identifiers.map { ($0.int64(at: 0), Int($0.int64(at: 1))) }
    }

    private func checksum(of row: (id: LocalID, table: Int)) throws -> StateChecksum {
        let record = try StoreError.unlessDamaged { try rows.record(row.id, table: row.table) }
        return (record ?? nil).map(StateChecksum.init(of:)) ?? Self.unreadable
    }

    /// The checksum of a record that cannot be decoded; no valid record has it.
    private static let unreadable = StateChecksum(ofRow: Array("unreadable".utf8))
}

extension StoreError {
    /// Runs a body that reads rows.
    ///
    /// - Returns: `nil` if the rows contain data that cannot be decoded.
    static func unlessDamaged<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as StoreError where error.code == .corrupt {
            return nil
        } catch is ChangeSetDecodingError {
            return nil
        } catch let error as SQLiteError where error.underlying is ChangeSetDecodingError {
            return nil
        }
    }
}
