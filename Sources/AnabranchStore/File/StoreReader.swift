package import AnabranchSQLite

/// Reads one snapshot of a store, within the body of `Store.read`.
package struct StoreReader {
    package let connection: Connection
    package let schema: StoreSchema
    /// The store's identity. Objects of another store equal no row; with `nil` every object counts
    /// as this store's own.
    let identity: StoreIdentity?

    init(_ connection: Connection, schema: StoreSchema, identity: StoreIdentity? = nil) {
        self.connection = connection
        self.schema = schema
        self.identity = identity
    }

    func replicas() throws -> ReplicaTable { try ReplicaTable.read(connection) }
}
