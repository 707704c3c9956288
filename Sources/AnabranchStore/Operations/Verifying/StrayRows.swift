import AnabranchReplication
import AnabranchSQLite

/// Rows with keys that no replica has assigned. They belong to no record, so no checksum counts
/// them, but a fetch shows them.
struct StrayRows {
    let connection: Connection
    let schema: StoreSchema
    let replicas: ReplicaTable

    private var condition: String { "ab_pk < 1 OR ab_pk >= \(replicas.count << 40)" }

    func count() throws -> Int {
        try schema.tables.reduce(0) { total, table in
            let found = try connection.firstValue(
                "SELECT count(*) FROM \(table.name) WHERE \(condition)")
            guard case .integer(let count)? = found else { return total }
            return total + Int(count)
        }
    }

    func remove() throws {
        for table in schema.tables {
            try connection.run("DELETE FROM \(table.name) WHERE \(condition)")
        }
    }
}
