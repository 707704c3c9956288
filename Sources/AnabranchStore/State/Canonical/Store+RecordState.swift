import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The merged state of a record, with what the file's model does not know.
    ///
    /// - Returns: `nil` if the record is not held, or was deleted.
    package func canonicalRecord(_ record: RecordID) throws -> CanonicalRecord? {
        guard let id = try localID(of: record) else { return nil }
        return try read { reader in
            let table = try schema.tables.firstIndex {
                try reader.entity(of: id, in: $0.root) != nil
            }
            let rows = try CanonicalRows(reader, replicas: try reader.replicas())
            let state = try rows.record(id, table: table ?? schema.tables.count)
            return state?.isDead == false ? state : nil
        }
    }

    /// The merged states of all records with one of some entities, in canonical order.
    package func canonicalRecords(of entities: Set<WireName>) throws -> [CanonicalRecord] {
        try read { reader in
            var found: [CanonicalRecord] = []
            try reader.canonicalRecords { record in
                if entities.contains(record.entity), !record.isDead {
                    found.append(record)
                }
            }
            return found
        }
    }
}
