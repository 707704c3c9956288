import AnabranchReplication

/// The merged state of single records, in whatever tables the file keeps them.
struct RecordStates {
    private let transaction: StateTransaction
    private let rows: CanonicalRows
    private let held: HeldRecords

    init(_ transaction: StateTransaction) throws {
        self.transaction = transaction
        let schema = transaction.schema
        rows = try CanonicalRows(
            StoreReader(transaction.connection, schema: schema), replicas: transaction.replicas)
        held = transaction.held
    }

    /// The state of a record; `nil` if the record is not held or cannot be read.
    subscript(record: RecordID) -> CanonicalRecord? {
        get throws {
            let id = try transaction.localID(of: record)
            let entity = try held.entity(of: id)
            return try StoreError.unlessDamaged {
                guard let entity else { return try rows.record(id, table: .max) }
                return try rows.record(id, in: transaction.schema.layout(of: entity).table)
            } ?? nil
        }
    }
}
