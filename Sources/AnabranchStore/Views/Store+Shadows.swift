import AnabranchSQLite

extension Store {
    /// Gives a file that was made before records could show as one the tables for it, and shows as
    /// one what is.
    func completeShadows() throws {
        guard !options.isReadOnly else { return }
        let sql = "SELECT 1 FROM sqlite_schema WHERE name = 'ab_shadow'"
        guard try withWriter({ try $0.firstValue(sql) }) == nil else { return }
        try write { transaction in
            // Another process may have done it meanwhile.
            guard try transaction.connection.firstValue(sql) == nil else { return }
            try transaction.connection.execute(CoreTables.shadows)
            try transaction.views.noteAllCandidates()
            _ = try transaction.collected(ChangeCollector())
        }
    }
}
