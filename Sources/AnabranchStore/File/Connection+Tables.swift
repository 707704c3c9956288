import AnabranchSQLite

extension Connection {
    func hasTable(_ name: String) throws -> Bool {
        try firstValue("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) != nil
    }
}
