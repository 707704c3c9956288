package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The record that an app sees for a record: the surviving record if it is a merged duplicate,
    /// otherwise the record itself, whether it exists or not.
    ///
    /// - Returns: `nil` if this file does not know the record's replica.
    package func visibleID(of record: RecordID) throws -> LocalID? {
        guard let id = try localID(of: record) else { return nil }
        guard !schema.constraints.isEmpty else { return id }
        return try read { reader in
            try MergedDuplicateRows(reader.connection, isUsed: true).visible(of: id)
        } ?? id
    }
}
