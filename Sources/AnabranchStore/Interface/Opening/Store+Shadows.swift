import AnabranchSQLite

extension Store {
    /// Adds the tables of merged duplicates to an older file that lacks them, and merges the
    /// duplicates that the file has.
    func completeShadows() throws {
        try write { transaction in
            // Another process may have added the tables meanwhile.
            guard try !transaction.connection.hasTable("ab_shadow") else { return }
            try transaction.connection.execute(CoreTables.mergedDuplicates)
            try transaction.views.addAllCandidates()
            _ = try transaction.collected(ChangeCollector())
        }
    }
}
