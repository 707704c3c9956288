/// How much of a file each table takes, with its unused space and its overflow pages.
struct RawTableSizes {
    private let database: RawDatabase

    init(_ database: RawDatabase) { self.database = database }

    /// Of the table's pages; its indexes do not count.
    func byteCount(ofTable name: String) throws -> Int64 { try sum("pgsize", name) }

    /// Of the rows alone, without what is free in their pages.
    func payloadByteCount(ofTable name: String) throws -> Int64 { try sum("payload", name) }

    private func sum(_ column: String, _ name: String) throws -> Int64 {
        try database.number(
            "SELECT \(column) FROM dbstat WHERE name = '\(name)' AND aggregate = TRUE")
    }
}
