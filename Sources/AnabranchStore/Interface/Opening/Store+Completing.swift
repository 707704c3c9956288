import AnabranchSQLite

extension Store {
    /// Adds the tables that a file from an earlier build lacks.
    func completeTables() throws {
        guard !options.isReadOnly else { return }
        let last = try withWriter {
            try $0.firstValue(
                """
                SELECT count(*) FROM sqlite_schema
                WHERE name IN ('ab_shadow', 'ab_conflict_subject')
                """)
        }
        guard last != .integer(2) else { return }
        if try withWriter({ try !$0.hasTable("ab_shadow") }) { try completeShadows() }
        if try withWriter({ try !$0.hasTable("ab_conflict_subject") }) { try completeJournal() }
    }
}

extension Connection {
    func hasTable(_ name: String) throws -> Bool {
        try firstValue("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) != nil
    }
}
