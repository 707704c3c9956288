/// How much of a file each table takes, with its unused space and its overflow pages.
struct RawTableSizes {
    private let database: RawDatabase

    init(_ database: RawDatabase) { self.database = database }

    /// Of the table's pages; its indexes do not count.
    func byteCount(ofTable name: String) throws -> Int64 {
        try database.number(
            "SELECT pgsize FROM dbstat WHERE name = '\(name)' AND aggregate = TRUE")
    }
}
