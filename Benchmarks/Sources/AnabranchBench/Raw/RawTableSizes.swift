/// The size of each table in a file, including unused space and overflow pages.
struct RawTableSizes {
    private let database: RawDatabase

    init(_ database: RawDatabase) { self.database = database }

    /// The bytes of the table's pages, without its indexes.
    func byteCount(ofTable name: String) throws -> Int64 { try sum("pgsize", name) }

    /// The bytes of the rows alone, without free space in their pages.
    func payloadByteCount(ofTable name: String) throws -> Int64 { try sum("payload", name) }

    private func sum(_ column: String, _ name: String) throws -> Int64 {
        try database.number(
            "SELECT \(column) FROM dbstat WHERE name = '\(name)' AND aggregate = TRUE")
    }
}
