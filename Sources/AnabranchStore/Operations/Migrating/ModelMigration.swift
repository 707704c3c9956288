import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Takes the records out of the tables of a file's model, and puts them into those of another
/// version.
///
/// `Store.migrate(to:)` runs it within one transaction, and creates the new tables in between.
///
/// The merged state stays as it is, so the canonical hash does too, and nothing is written to the
/// log. The file then has the rows that a new file of the new version has after it pulled the same
/// change sets. What only the old version knows waits among the deferred rows, and what waited for
/// the new version gets its rows and columns.
///
/// Every record is read once and written once.
struct ModelMigration {
    /// The number of records that other replicas have too.
    let recordCount: Int
    private let stage: MigrationStage
    /// The records that are kept in this store only; `nil` if the file has no such entity.
    private let unsynced: MigrationStage?

    /// Takes the state out of a file, and removes its tables for records.
    ///
    /// - Parameters:
    ///   - source: A transaction under the file's present model. It must not be finished.
    ///   - model: The new version of the model.
    init(removing source: StateTransaction, for model: ManagedObjectModel) throws {
        let connection = source.connection
        let schema = source.schema
        if !Mechanism.deferredRowsInMigration.isOn {
            try Self.removeRowsBesideTables(connection)
        }
        var stage = try MigrationStage(connection)
        let total = Double(try Self.recordCount(connection, schema))
        var count = 0
        try StoreReader(connection, schema: schema).canonicalRecords { record in
            try stage.append(record)
            count += 1
            if count % Self.recordsPerReport == 0 {
                try source.store.reportMigration(min(Double(count) / total, 1) / 2)
            }
        }
        try stage.finish()
        recordCount = count
        self.stage = stage
        unsynced = try Self.unsyncedRecords(of: source, for: model)
        try connection.removeSearchTables(of: schema, unlessIn: nil)
        for name in schema.tables.map(\.name) + schema.linkLayouts.map(\.name) {
            try connection.execute("DROP TABLE \(name)")
        }
        try Self.removeRowsBesideTables(connection)
    }

    /// Removes what the file keeps of its records outside of the model's tables.
    private static func removeRowsBesideTables(_ connection: Connection) throws {
        for name in [
            "ab_deferred_record", "ab_deferred_cell", "ab_deferred_link", "ab_delete_mark",
            "ab_hidden", "ab_shadow", "ab_shadow_key", "ab_former_link",
        ] {
            try connection.execute("DELETE FROM \(name)")
        }
    }

    /// Takes out the records that are kept in this store only, without what the new version lacks.
    /// No replica would ever ask for that, so it does not wait for a later version.
    private static func unsyncedRecords(
        of source: StateTransaction, for model: ManagedObjectModel
    ) throws -> MigrationStage? {
        guard source.schema.hasUnsyncedEntities else { return nil }
        var stage = try MigrationStage(source.connection, named: "ab_migration_unsynced")
        try StoreReader(source.connection, schema: source.schema).canonicalRecords(.unsynced) {
            guard let record = UnsyncedRecord($0, in: model) else { return }
            try stage.append(record.record)
            for link in record.inverseLinks { try stage.append(link.link, of: link.property) }
        }
        try stage.finish()
        return stage
    }

    private static let recordsPerReport = 1000

    private static func recordCount(_ connection: Connection, _ schema: StoreSchema) throws -> Int {
        try (schema.tables.map(\.name) + ["ab_deferred_record"]).reduce(1) { sum, table in
            let count = try connection.firstValue("SELECT count(*) FROM \(table)")
            guard case .integer(let count)? = count else { return sum }
            return sum + Int(count)
        }
    }

    /// Puts the state into the tables of the new model.
    ///
    /// - Parameters:
    ///   - destination: A transaction under the new model, with empty tables without indexes.
    ///   - constraints: The uniqueness constraints that the old model did not have.
    /// - Throws: `constraintConflict` if records share a key of a new constraint.
    func load(
        into destination: StateTransaction, checking constraints: [[AttributeDescription]]
    ) throws {
        let positions = try StampPositions(destination.log, stamps: destination.logStamps)
        let rows = RecordRows(destination, positions: positions)
        try stage.drain { chunk, fraction in
            try destination.store.reportMigration(0.5 + fraction / 2)
            try Self.load(chunk, by: rows, into: destination)
        }
        let unsyncedRows = RecordRows(destination, positions: positions, .unsynced)
        try unsynced?.drain { chunk, _ in
            try Self.load(chunk, by: unsyncedRows, into: destination)
        }
        try positions.finish()
        let store = destination.store
        try store.checkMigrationIsWanted()
        try destination.views.applyFormerPropertyRuleToAll()
        try store.checkMigrationIsWanted()
        try destination.connection.createIndexes(destination.schema)
        try store.checkMigrationIsWanted()
        for constraint in destination.schema.constraints
        where constraints.contains(constraint.attributes) {
            try check(constraint, in: destination)
        }
        try destination.views.applyToAll()
    }

    private static func load(
        _ chunk: SnapshotChunk, by rows: RecordRows, into destination: StateTransaction
    ) throws {
        for block in chunk.rows { try rows.insert(block, isFirst: true) }
        for record in chunk.records {
            try rows.insert(record, id: try destination.localID(of: record.id), version: nil)
        }
        for links in chunk.links {
            for link in links.links {
                try rows.put(link.tags, on: links.property, left: link.left, right: link.right)
            }
        }
    }

    private func check(_ constraint: UniqueConstraint, in destination: StateTransaction) throws {
        let records = try destination.views.recordsSharingKeys(of: constraint)
        guard !records.isEmpty else { return }
        let names = constraint.attributes.map(\.name).joined(separator: " and ")
        throw StoreError(
            .constraintConflict,
            "Can't migrate \(destination.store.path) because \(records.count) records of "
                + "\(constraint.owner.name) do not differ in \(names), which has to be unique in "
                + "the new version. Change or delete them with the old version.",
            path: destination.store.path, entity: constraint.owner.name,
            property: constraint.attributes.first?.name, records: records)
    }
}
