import AnabranchSQLite

// A table of words is made new if anything of it changes, such as a name of its table.
extension Connection {
    /// - Parameter other: The schema that keeps equal tables; `nil` if none stays.
    func removeSearchTables(of schema: StoreSchema, unlessIn other: StoreSchema?) throws {
        for table in schema.searchTables where other?.searchTables.contains(table) != true {
            try run(table.removal)
        }
    }

    /// - Parameter other: The schema with equal tables, which are there already.
    func createSearchTables(of schema: StoreSchema, unlessIn other: StoreSchema) throws {
        for table in schema.searchTables where !other.searchTables.contains(table) {
            try run(table.creation)
        }
    }
}
