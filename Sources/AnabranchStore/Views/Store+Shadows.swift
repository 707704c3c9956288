package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The record that an app sees for one: of several that hold one unique key the visible one,
    /// else the record itself, whether it is there or not.
    ///
    /// - Returns: `nil` where this file has not heard of the record's replica.
    package func visibleID(of record: RecordID) throws -> LocalID? {
        guard let id = try localID(of: record) else { return nil }
        guard !schema.constraints.isEmpty else { return id }
        return try read { reader in
            try ShadowRows(reader.connection, isUsed: true).visible(of: id)
        } ?? id
    }

    /// Gives a file that was made before records could show as one the tables for it, and shows as
    /// one what is.
    func completeShadows() throws {
        try write { transaction in
            // Another process may have done it meanwhile.
            guard try !transaction.connection.hasTable("ab_shadow") else { return }
            try transaction.connection.execute(CoreTables.shadows)
            try transaction.views.noteAllCandidates()
            _ = try transaction.collected(ChangeCollector())
        }
    }
}
