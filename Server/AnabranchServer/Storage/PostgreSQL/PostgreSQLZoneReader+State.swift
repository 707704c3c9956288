import AnabranchReplication

extension PostgreSQLZoneReader {
    static let rowColumns = "key, entity, timestamp, author, cells, seen, dead"

    /// A statement that reads the columns of `rowColumns` and a record's size, with the values of
    /// the first records alone.
    ///
    /// PostgreSQL takes the sizes from the headers of the compressed values, so no value is read
    /// for them.
    ///
    /// - Parameters:
    ///   - source: The part of the statement that selects rows of `anabranch.record`.
    ///   - limit: The parameter with the greatest number of bytes of values. Both columns are NULL
    ///     of the records beyond it.
    static func sizedRows(_ source: String, within limit: String) -> String {
        """
        SELECT key, entity, timestamp, author, CASE WHEN total <= \(limit) THEN cells END,
            CASE WHEN total <= \(limit) THEN seen END, dead, size
        FROM (SELECT \(rowColumns), octet_length(cells) + coalesce(octet_length(seen), 0) AS size,
            sum(octet_length(cells) + coalesce(octet_length(seen), 0)) OVER (ORDER BY key) AS total
            \(source)) AS sized
        """
    }

    /// The number of rows that one statement reads of a long sequence.
    private static let rowsTogether = 1000

    @discardableResult
    func forEachRecord(
        in range: RecordRange, reserving reserve: @escaping (RecordID, ImageSize) throws -> Void,
        _ body: (RecordID, _ read: () throws -> CanonicalRecord) throws -> Bool
    ) throws -> Bool {
        // The canonical hash is defined by this order, and other readers continue after the last
        // record. Damaged ordinals give one record twice.
        var previous: RecordID?
        for (replica, ordinal) in try replicas(in: range) {
            guard let keys = Self.keys(range, replica, ordinal) else { continue }
            let isWhole = try forEachStateRow(
                in: keys,
                reserving: {
                    try reserve(RecordID(replica: replica, number: $0.number), $1)
                }
            ) { rows in
                let links = try links(from: rows.map(\.key))
                for row in rows {
                    let id = RecordID(replica: replica, number: row.key.number)
                    guard row.key.ordinal == ordinal, previous.map({ $0 < id }) ?? true else {
                        throw damaged("its records are not in order at \(id)")
                    }
                    previous = id
                    let isTaken = try body(id) {
                        var record = try record(row)
                        record.links = links[row.key] ?? []
                        return record
                    }
                    guard isTaken else { return false }
                }
                return true
            }
            guard isWhole else { return false }
        }
        return true
    }

    func recordCount(in range: RecordRange, limit: Int) throws -> Int {
        var total = 0
        for (replica, ordinal) in try replicas(in: range) where total < limit {
            guard let keys = Self.keys(range, replica, ordinal) else { continue }
            let count = try query(
                """
                SELECT count(*) FROM (SELECT 1 FROM anabranch.record
                    WHERE zone = $1 AND key BETWEEN $2 AND $3 LIMIT $4) AS page
                """, .integer(keys.lowerBound), .integer(keys.upperBound),
                .integer(Int64(limit - total))
            ).first
            total += Int(count?.int64(at: 0) ?? 0)
        }
        return total
    }

    private static func keys(
        _ range: RecordRange, _ replica: ReplicaID, _ ordinal: Int64
    ) -> ClosedRange<Int64>? {
        guard let numbers = range.numbers(of: replica) else { return nil }
        let first = RecordKey(ordinal: ordinal, number: numbers.lowerBound)
        let last = RecordKey(ordinal: ordinal, number: numbers.upperBound)
        return first.rawValue...last.rawValue
    }

    /// The replicas that have records and may have some in a range, in ascending order.
    ///
    /// Many replicas may be known by their names alone, and each would cost a round trip. Damaged
    /// ordinals are read too, so that they throw.
    private func replicas(in range: RecordRange) throws -> [(id: ReplicaID, ordinal: Int64)] {
        let least = ReplicaID(high: 0, low: 0)
        let greatest = ReplicaID(high: .max, low: .max)
        return try query(
            """
            SELECT id, ordinal FROM anabranch.replica AS r
            WHERE zone = $1 AND id BETWEEN $2 AND $3
            AND CASE WHEN ordinal BETWEEN 0 AND $5 THEN EXISTS (
                SELECT 1 FROM anabranch.record WHERE zone = $1
                AND key BETWEEN r.ordinal << 40 AND (r.ordinal << 40) + $4)
            ELSE true END
            ORDER BY id
            """, .bytes((range.lower?.replica ?? least).bytes),
            .bytes((range.upper?.replica ?? greatest).bytes), .integer(1 << 40 - 1),
            .integer(Int64(Limits.greatestReplicaOrdinal))
        ).map { (try $0.replica(at: 0), try $0.ordinal(at: 1)) }
    }

    /// Consecutive rows that are read together.
    private struct RowGroup {
        var keys: ClosedRange<Int64>
        var size: ImageSize
    }

    /// Calls `body` with some rows at a time, in the order of their keys, until it returns false.
    ///
    /// - Parameters:
    ///   - reserve: Called before rows are read, with the first one and the size of all.
    private func forEachStateRow(
        in keys: ClosedRange<Int64>,
        reserving reserve: (RecordKey, ImageSize) throws -> Void,
        _ body: ([StateRow]) throws -> Bool
    ) throws -> Bool {
        var next = keys.lowerBound
        while next <= keys.upperBound {
            let groups = try groups(of: next...keys.upperBound)
            for group in groups {
                try reserve(RecordKey(rawValue: group.keys.lowerBound), group.size)
                let rows = try query(
                    """
                    SELECT \(Self.rowColumns) FROM anabranch.record
                    WHERE zone = $1 AND key BETWEEN $2 AND $3 ORDER BY key
                    """, .integer(group.keys.lowerBound), .integer(group.keys.upperBound)
                ).map { try $0.stateRow() }
                guard try body(rows) else { return false }
            }
            guard let last = groups.last?.keys.upperBound, last < .max else { break }
            guard last >= next else { throw damaged("its records are not in order") }
            next = last + 1
        }
        return true
    }

    /// The first rows of a range, in groups of limited memory; a larger row is a group of its own.
    private func groups(
        of keys: ClosedRange<Int64>
    ) throws -> [RowGroup] {
        func ofLinks(_ size: String) -> String {
            let links = "FROM anabranch.link WHERE zone = $1 AND left_key = record.key"
            return "(SELECT coalesce(sum(\(size)), 0)::bigint \(links))"
        }
        let sizes = try query(
            """
            SELECT key, (octet_length(cells) + coalesce(octet_length(seen), 0))::bigint,
                \(ofLinks("1")), \(ofLinks("octet_length(tags)")), \(ofLinks(Self.nameSize))
            FROM anabranch.record
            WHERE zone = $1 AND key BETWEEN $2 AND $3 ORDER BY key LIMIT $4
            """, .integer(keys.lowerBound), .integer(keys.upperBound),
            .integer(Int64(Self.rowsTogether)))
        var groups: [RowGroup] = []
        for row in sizes {
            let key = row.int64(at: 0)
            let size = row.imageSize(at: 1)
            if let last = groups.last {
                // A damaged index can give rows in another order.
                guard last.keys.upperBound < key else {
                    throw damaged("its records are not in order")
                }
                if last.size.memoryBytes + size.memoryBytes <= Self.bytesTogether {
                    groups[groups.count - 1] = RowGroup(
                        keys: last.keys.lowerBound...key, size: last.size + size)
                    continue
                }
            }
            groups.append(RowGroup(keys: key...key, size: size))
        }
        return groups
    }

    /// The bytes of the name of a link's property, for a statement about links.
    private static let nameSize = """
        (SELECT octet_length(name) FROM anabranch.property AS p
            WHERE p.zone = $1 AND p.number = link.property)
        """

    /// The greatest memory of rows that are read together, with their links.
    private static let bytesTogether = 256 << 10

    // MARK: Links

    private static let linkColumns = "left_key, property, right_key, tags"

    private func links(
        from keys: [RecordKey]
    ) throws -> [RecordKey: [CanonicalRecord.Link]] {
        var links: [RecordKey: [CanonicalRecord.Link]] = [:]
        let rows = try query(
            "SELECT \(Self.linkColumns) FROM anabranch.link WHERE zone = $1 AND left_key = ANY($2)",
            .integers(keys.map(\.rawValue)))
        for row in rows {
            let (key, property, tags) = try link(row)
            links[key.left, default: []].append(
                CanonicalRecord.Link(property: property, right: try id(of: key.right), tags: tags))
        }
        return links
    }

    func imageSize(of record: RecordID, linkLimit: Int) throws -> ImageSize {
        guard let ordinal = try knownOrdinal(of: record.replica) else { return ImageSize() }
        func links(at end: String) -> String {
            """
            (SELECT count(*) AS count, coalesce(sum(tag), 0)::bigint AS tags,
                coalesce(sum(name), 0)::bigint AS names
                FROM (SELECT octet_length(tags) AS tag, \(Self.nameSize) AS name
                    FROM anabranch.link WHERE zone = $1 AND \(end) = $2 LIMIT $3) AS links)
            """
        }
        return try query(
            """
            SELECT coalesce((SELECT octet_length(cells) + coalesce(octet_length(seen), 0)
                    FROM anabranch.record WHERE zone = $1 AND key = $2), 0)::bigint,
                outgoing.count + incoming.count, outgoing.tags + incoming.tags,
                outgoing.names + incoming.names
            FROM \(links(at: "left_key")) AS outgoing, \(links(at: "right_key")) AS incoming
            """, .integer(RecordKey(ordinal: ordinal, number: record.number).rawValue),
            .integer(Int64(linkLimit))
        ).first?.imageSize() ?? ImageSize()
    }

    // MARK: Heads and dead records

    func forEachHead(_ body: (SnapshotChunk.Head) throws -> Void) throws {
        var last = PostgreSQLValue.bytes([])
        while true {
            let rows = try query(
                """
                SELECT id, sequence, origin FROM anabranch.replica
                WHERE zone = $1 AND sequence > 0 AND id > $2 ORDER BY id LIMIT $3
                """, last, .integer(Int64(Self.rowsTogether)))
            for row in rows {
                let replica = try row.replica(at: 0)
                last = .bytes(replica.bytes)
                try body(
                    SnapshotChunk.Head(
                        dot: Dot(replica: replica, sequence: try row.unsigned(at: 1)),
                        origin: try row.digest(at: 2)))
            }
            guard rows.count == Self.rowsTogether else { return }
        }
    }

    func deadRecords(
        through position: UInt64, limit: Int
    ) throws -> [(WireName, RecordID)] {
        try query(
            """
            SELECT key, entity FROM anabranch.record
            WHERE zone = $1 AND dead > 0 AND dead <= $2 ORDER BY dead, key LIMIT $3
            """, .integer(Int64(clamping: position)), .integer(Int64(limit))
        ).map {
            (
                try entityName($0.int64(at: 1)),
                try id(of: RecordKey(rawValue: $0.int64(at: 0)))
            )
        }
    }
}
