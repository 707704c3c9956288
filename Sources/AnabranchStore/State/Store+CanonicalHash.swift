import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The hash of the merged state: equal to that of every replica and zone that holds the same
    /// change sets.
    package func canonicalHash() throws -> Digest {
        try read { reader in
            var hash = CanonicalHash()
            try reader.canonicalRecords { hash.update($0) }
            return hash.finish()
        }
    }
}

extension StoreReader {
    /// Every record with its written cells and links, in canonical order: by the bytes of the
    /// replica, then by number.
    package func canonicalRecords(_ body: (CanonicalRecord) throws -> Void) throws {
        let replicas = try replicas()
        let rows = CanonicalRows(self, replicas: replicas)
        let ordinals = replicas.replicas.enumerated().sorted { $0.element < $1.element }
        for (ordinal, _) in ordinals {
            for id in try identifiers(ofReplica: Int64(ordinal)) {
                if let record = try rows.record(id.id, table: id.table) { try body(record) }
            }
        }
    }

    /// The records of a replica in all tables by number; the table's index is one too great for
    /// records of unknown entities.
    private func identifiers(
        ofReplica ordinal: Int64
    ) throws -> [(id: LocalID, table: Int)] {
        let range = "BETWEEN ?1 AND ?2"
        var selects = schema.tables.enumerated().map { index, table in
            "SELECT ab_pk AS id, \(index) FROM \(table.name) WHERE ab_pk \(range)"
        }
        selects.append(
            "SELECT record, \(schema.tables.count) FROM ab_deferred_record WHERE record \(range)")
        let statement = try connection.cached(
            selects.joined(separator: " UNION ALL ") + " ORDER BY 1")
        try statement.bind(LocalID(ordinal: ordinal, number: 0), at: 1)
        try statement.bind(
            LocalID(ordinal: ordinal, number: Limits.greatestRecordNumber), at: 2)
        var found: [(id: LocalID, table: Int)] = []
        while try statement.step() {
            found.append((statement.int64(at: 0), Int(statement.int64(at: 1))))
        }
        return found
    }
}

/// Puts records together from rows, link rows and deferred rows.
private struct CanonicalRows {
    let reader: StoreReader
    let replicas: ReplicaTable

    var connection: Connection { reader.connection }
    var schema: StoreSchema { reader.schema }

    init(_ reader: StoreReader, replicas: ReplicaTable) {
        self.reader = reader
        self.replicas = replicas
    }

    func record(_ id: LocalID, table: Int) throws -> CanonicalRecord? {
        guard
            var record = table < schema.tables.count
                ? try known(id, schema.tables[table]) : try unknown(id)
        else { return nil }
        record.cells += try deferredCells(of: id)
        record.links += try deferredLinks(of: id)
        return record
    }

    private func known(_ id: LocalID, _ table: TableLayout) throws -> CanonicalRecord? {
        let columns = table.columns.map(\.name)
        let discriminator =
            table.hasDiscriminator ? "ab_entity" : "\(schema.layout(of: table.root).number)"
        let names = [discriminator, "ab_stamp", "ab_by", "ab_stamps"] + columns
        let statement = try connection.cached(
            "SELECT \(names.joined(separator: ", ")) FROM \(table.name) WHERE ab_pk = ?")
        try statement.bind(id, at: 1)
        guard try statement.step(), let recordID = replicas.record(id),
            let entity = schema.entity(numbered: statement.int64(at: 0))
        else { return nil }
        defer { statement.reset() }
        let stamps = try RowStamps(
            RowVersion(
                stamp: statement.int64(at: 1), by: statement.int64(at: 2),
                stamps: statement.isNull(at: 3) ? nil : statement.bytes(at: 3)))
        var record = CanonicalRecord(id: recordID, entity: entity.wireName)
        for (index, column) in table.columns.enumerated()
        where entity.isKind(of: column.property.entity) {
            guard let stamp = stamps[column.number] else { continue }
            record.cells.append(
                CanonicalRecord.Cell(
                    property: column.property.wireProperty,
                    value: wireValue(statement.slot(at: index + 4, as: column.kind), column.kind),
                    stamp: try self.stamp(stamp)))
        }
        record.links = try links(of: id, entity)
        return record
    }

    private func wireValue(_ value: Value, _ kind: ColumnKind) -> Value {
        guard kind == .reference, case .integer(let id) = value else { return value }
        return replicas.record(id).map(Value.reference) ?? .null
    }

    private func stamp(_ stamp: RowStamps.LocalStamp) throws -> Stamp {
        guard let wire = replicas.stamps([stamp]).first else {
            throw StoreError(
                .corrupt, "Can't read a stamp because replica \(stamp.ordinal) is unknown.")
        }
        return wire
    }

    private func links(
        of id: LocalID, _ entity: EntityDescription
    ) throws -> [CanonicalRecord.Link] {
        var links: [CanonicalRecord.Link] = []
        for layout in schema.linkLayouts where entity.isKind(of: layout.leftEntity) {
            let statement = try connection.cached(
                "SELECT right, tag, tag_by, more FROM \(layout.name) WHERE left = ?")
            try statement.bind(id, at: 1)
            while try statement.step() {
                guard let right = replicas.record(statement.int64(at: 0)) else { continue }
                links.append(
                    CanonicalRecord.Link(
                        property: layout.relationship.wireProperty, right: right,
                        tags: LinkTags(
                            replicas.stamps(try LinkRows.tags(of: statement, at: 1)))))
            }
        }
        return links
    }

    private func unknown(_ id: LocalID) throws -> CanonicalRecord? {
        guard
            case .text(let name)? = try connection.firstValue(
                "SELECT entity FROM ab_deferred_record WHERE record = ?", .integer(id))
        else { return nil }
        return replicas.record(id).map { CanonicalRecord(id: $0, entity: WireName(name)) }
    }

    private func deferredCells(of id: LocalID) throws -> [CanonicalRecord.Cell] {
        let statement = try connection.cached(
            "SELECT name, type, rule, value, hlc, by FROM ab_deferred_cell WHERE record = ?")
        try statement.bind(id, at: 1)
        var cells: [CanonicalRecord.Cell] = []
        while try statement.step() {
            var value = ByteReader(statement.bytes(at: 3))
            cells.append(
                CanonicalRecord.Cell(
                    property: property(statement), value: try value.readTagged(),
                    stamp: try stamp(
                        RowStamps.LocalStamp(
                            timestamp: UInt64(bitPattern: statement.int64(at: 4)),
                            ordinal: statement.int64(at: 5)))))
        }
        return cells
    }

    private func deferredLinks(of id: LocalID) throws -> [CanonicalRecord.Link] {
        let statement = try connection.cached(
            """
            SELECT name, type, rule, right, tag, tag_by, more FROM ab_deferred_link WHERE left = ?
            """)
        try statement.bind(id, at: 1)
        var links: [CanonicalRecord.Link] = []
        while try statement.step() {
            guard let right = replicas.record(statement.int64(at: 3)) else { continue }
            links.append(
                CanonicalRecord.Link(
                    property: property(statement), right: right,
                    tags: LinkTags(replicas.stamps(try LinkRows.tags(of: statement, at: 4)))))
        }
        return links
    }

    /// Reads three columns: name, type, rule.
    private func property(_ statement: Statement) -> WireProperty {
        WireProperty(
            name: WireName(statement.string(at: 0)),
            type: WireType(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 1))),
            rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 2))))
    }
}
