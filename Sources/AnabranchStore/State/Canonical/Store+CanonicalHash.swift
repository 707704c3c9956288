import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The hash of the merged state, equal on every replica and zone that holds the same change
    /// sets.
    package func canonicalHash() throws -> Digest {
        try read { reader in
            var hash = CanonicalHash()
            try reader.canonicalRecords { hash.update($0) }
            return hash.finish()
        }
    }
}

extension StoreReader {
    /// Calls the body for every synced record with its written cells and links, in canonical order:
    /// by the bytes of the replica ID, then by number.
    package func canonicalRecords(_ body: (CanonicalRecord) throws -> Void) throws {
        try canonicalRecords(.synced, body)
    }

    /// Calls the body for every record of a scope, in canonical order.
    func canonicalRecords(_ scope: RecordScope, _ body: (CanonicalRecord) throws -> Void) throws {
        let replicas = try replicas()
        let rows = try CanonicalRows(self, replicas: replicas)
        let ordinals = replicas.replicas.enumerated().sorted { $0.element < $1.element }
        // The canonical hash is defined by this order. A damaged index can give rows in another.
        var last: RecordID?
        for (ordinal, _) in ordinals {
            var previous: LocalID?
            for found in try identifiers(ofReplica: Int64(ordinal), scope) {
                guard found.id != previous else {
                    throw StoreError(
                        .corrupt, "Can't read record \(found.id) because two tables contain it.",
                        records: [found.id])
                }
                previous = found.id
                guard let record = try rows.record(found.id, table: found.table) else { continue }
                guard last.map({ $0 < record.id }) ?? true else {
                    throw StoreError(
                        .corrupt,
                        "Can't read the records because they are not in order at \(record.id).",
                        records: [found.id])
                }
                last = record.id
                try body(record)
            }
        }
    }

    /// The records of a replica in all tables of a scope, by number. The table index of a record of
    /// an unknown entity is the one after the last table.
    private func identifiers(
        ofReplica ordinal: Int64, _ scope: RecordScope
    ) throws -> [(id: LocalID, table: Int)] {
        let range = "BETWEEN ?1 AND ?2"
        let own =
            try MergedDuplicateRows.isEmpty(on: connection) ? "" : MergedDuplicateRows.rowsOfOthers
        let tables = schema.tables.enumerated().filter {
            $0.element.isSynced == (scope == .synced)
        }
        var selects = tables.map {
            "SELECT ab_pk AS id, \($0) FROM \($1.name) WHERE ab_pk \(range)\(own)"
        }
        if scope == .synced {
            selects.append(
                "SELECT record, \(schema.tables.count) FROM ab_deferred_record "
                    + "WHERE record \(range)")
        }
        let statement = try connection.cached(
            selects.joined(separator: " UNION ALL ") + " ORDER BY 1",
            LocalID(ordinal: ordinal, number: 0),
            LocalID(ordinal: ordinal, number: Limits.greatestRecordNumber))
        var found: [(id: LocalID, table: Int)] = []
        while try statement.step() {
            found.append((statement.int64(at: 0), Int(statement.int64(at: 1))))
        }
        return found
    }
}
