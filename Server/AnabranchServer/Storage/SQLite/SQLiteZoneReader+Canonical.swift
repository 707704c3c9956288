package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    @discardableResult
    package func forEachRecord(
        in range: RecordRange, reserving reserve: @escaping (RecordID, ImageSize) throws -> Void,
        _ body: (RecordID, _ read: () throws -> CanonicalRecord) throws -> Bool
    ) throws -> Bool {
        // The canonical hash is defined by this order, and other readers continue after the last
        // record. A damaged index can give rows in another order.
        var previous: RecordID?
        for (replica, ordinal) in try replicasInOrder() {
            guard let numbers = range.numbers(of: replica) else { continue }
            let rows = try connection.cached(
                """
                SELECT key, entity, timestamp, author, cells, seen, dead FROM record
                WHERE key BETWEEN ? AND ? ORDER BY key
                """)
            try bind(numbers, ordinal, to: rows)
            while try rows.step() {
                let key = RecordKey(rawValue: rows.int64(at: 0))
                let id = RecordID(replica: replica, number: key.number)
                guard key.ordinal == ordinal, previous.map({ $0 < id }) ?? true else {
                    throw damaged("its records are not in order at \(id)")
                }
                previous = id
                let isTaken = try body(id) {
                    var size = ImageSize()
                    for column in [4, 5] {
                        size.valueBytes += rows.withBytes(at: column) { $0.count }
                    }
                    try reserve(id, size)
                    var record = try record(rows.stateRow())
                    record.links = try links(of: key, beside: size) { try reserve(id, $0) }
                    return record
                }
                guard isTaken else { return false }
            }
        }
        return true
    }

    package func recordCount(in range: RecordRange, limit: Int) throws -> Int {
        let count = try connection.cached(
            "SELECT count(*) FROM (SELECT 1 FROM record WHERE key BETWEEN ? AND ? LIMIT ?)")
        var total = 0
        for (replica, ordinal) in try replicasInOrder() where total < limit {
            guard let numbers = range.numbers(of: replica) else { continue }
            try bind(numbers, ordinal, to: count)
            try count.bind(Int64(limit - total), at: 3)
            if try count.step() { total += Int(count.int64(at: 0)) }
            count.reset()
        }
        return total
    }

    private func bind(
        _ numbers: ClosedRange<UInt64>, _ ordinal: Int64, to statement: Statement
    ) throws {
        let first = RecordKey(ordinal: ordinal, number: numbers.lowerBound)
        let last = RecordKey(ordinal: ordinal, number: numbers.upperBound)
        try statement.bind(first.rawValue, last.rawValue)
    }

    private func replicasInOrder() throws -> [(id: ReplicaID, ordinal: Int64)] {
        try connection.cached("SELECT id, ordinal FROM replica ORDER BY id")
            .map { (try $0.replica(at: 0), try $0.ordinal(at: 1)) }
    }

    /// The links of a record.
    ///
    /// - Parameters:
    ///   - size: The size of the record without its links.
    ///   - reserve: Called before each link is decoded, with the size of the record so far.
    private func links(
        of left: RecordKey, beside size: ImageSize,
        reserving reserve: (ImageSize) throws -> Void
    ) throws -> [CanonicalRecord.Link] {
        var size = size
        var links: [CanonicalRecord.Link] = []
        try forEachRow(of: .link, in: left.rawValue...left.rawValue) { row in
            size.linkCount += 1
            size.tagBytes += row.withBytes(at: 3) { $0.count }
            size.nameBytes += try property(at: row.int64(at: 1)).name.string.utf8.count
            try reserve(size)
            let (key, property, tags) = try link(row)
            links.append(
                CanonicalRecord.Link(property: property, right: try id(of: key.right), tags: tags))
        }
        return links
    }
}
