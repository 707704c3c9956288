package import AnabranchModel
import AnabranchSQLite

extension Store {
    /// The records with a to-one that points to a record, whether that record exists or not.
    package func holders(
        of id: LocalID
    ) throws -> [(record: LocalID, relationship: RelationshipDescription)] {
        try read { reader in
            var holders: [(record: LocalID, relationship: RelationshipDescription)] = []
            for table in reader.schema.tables {
                for column in table.columns where column.kind == .reference {
                    guard let relationship = column.property.relationship else { continue }
                    let statement = try reader.connection.cached(
                        "SELECT ab_pk FROM \(table.name) WHERE \(column.name) = ?", id)
                    while try statement.step() {
                        holders.append((statement.int64(at: 0), relationship))
                    }
                }
            }
            return holders
        }
    }
}
