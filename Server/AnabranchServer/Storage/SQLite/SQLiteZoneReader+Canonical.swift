package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func forEachRecord(_ body: (CanonicalRecord) throws -> Void) throws {
        for (_, ordinal) in try replicasInOrder() {
            let rows = try connection.cached(
                """
                SELECT key, entity, timestamp, author, cells, seen, dead FROM record
                WHERE key BETWEEN ? AND ? ORDER BY key
                """)
            try rows.bind(RecordKey(ordinal: ordinal, number: 0).rawValue, at: 1)
            try rows.bind(
                RecordKey(ordinal: ordinal, number: Limits.greatestRecordNumber).rawValue, at: 2)
            while try rows.step() {
                let row = try rows.stateRow()
                var record = try record(row)
                record.links = try links(of: row.key)
                try body(record)
            }
        }
    }

    private func replicasInOrder() throws -> [(id: ReplicaID, ordinal: Int64)] {
        let rows = try connection.cached("SELECT id, ordinal FROM replica ORDER BY id")
        var replicas: [(id: ReplicaID, ordinal: Int64)] = []
        while try rows.step() { replicas.append((try rows.replica(at: 0), rows.int64(at: 1))) }
        return replicas
    }

    /// The record without its links.
    func record(_ row: StateRow) throws -> CanonicalRecord {
        let list = try CellList(
            decoding: row.cells, timestamp: row.timestamp, author: row.author)
        return CanonicalRecord(
            id: try id(of: row.key), entity: try entityName(row.entity),
            cells: try list.cells.map { cell in
                CanonicalRecord.Cell(
                    property: try property(at: cell.property),
                    value: try StoredValue.value(decoding: cell.value, replica: replica(at:)),
                    stamp: Stamp(
                        timestamp: HybridTimestamp(rawValue: cell.timestamp),
                        replica: try replica(at: cell.author)))
            },
            deleteMark: try row.seen.map {
                DeleteMark(seen: try StoredTags.stamps(decoding: $0, replica: replica(at:)))
            })
    }

    func links(of left: RecordKey) throws -> [CanonicalRecord.Link] {
        let rows = try connection.cached("SELECT property, right, tags FROM link WHERE left = ?")
        try rows.bind(left.rawValue, at: 1)
        var links: [CanonicalRecord.Link] = []
        while try rows.step() {
            let property = try property(at: rows.int64(at: 0))
            links.append(
                CanonicalRecord.Link(
                    property: property, right: try id(of: RecordKey(rawValue: rows.int64(at: 1))),
                    tags: try StoredTags.tags(
                        decoding: rows.bytes(at: 2), of: property, replica: replica(at:))))
        }
        return links
    }

    func id(of key: RecordKey) throws -> RecordID {
        RecordID(replica: try replica(at: key.ordinal), number: key.number)
    }

    func entityName(_ number: Int64) throws -> WireName {
        if let name = names.entityNames[number] { return name }
        let row = try connection.cached("SELECT name FROM entity WHERE number = ?")
        try row.bind(number, at: 1)
        guard try row.step() else { throw damaged("entity \(number) is missing") }
        let name = WireName(String(decoding: row.bytes(at: 0), as: UTF8.self))
        names.note(name, entity: number)
        return name
    }

    package func property(at number: Int64) throws -> WireProperty {
        if let property = names.properties[number] { return property }
        let row = try connection.cached(
            "SELECT name, type, rule FROM property WHERE number = ?")
        try row.bind(number, at: 1)
        guard try row.step() else { throw damaged("property \(number) is missing") }
        let property = WireProperty(
            name: WireName(String(decoding: row.bytes(at: 0), as: UTF8.self)),
            type: WireType(rawValue: UInt8(truncatingIfNeeded: row.int64(at: 1))),
            rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: row.int64(at: 2))))
        names.note(property, number: number)
        return property
    }
}

extension Statement {
    /// Of the columns key, entity, timestamp, author, cells, seen, dead.
    func stateRow() throws -> StateRow {
        StateRow(
            key: RecordKey(rawValue: int64(at: 0)), entity: int64(at: 1),
            timestamp: try unsigned(at: 2), author: int64(at: 3), cells: bytes(at: 4),
            seen: isNull(at: 5) ? nil : bytes(at: 5), isDead: int64(at: 6) != 0)
    }
}
