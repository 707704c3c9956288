import AnabranchModel
import AnabranchSQLite

extension Store {
    /// Replaces the file's model and its tables by those of another version, in one transaction.
    ///
    /// Afterwards this opening of the file can't write: open the file again. In a migration by
    /// several steps, one copy is kept: that of the file before the first step.
    ///
    /// - Parameters:
    ///   - pending: The stage that the file then waits for.
    ///   - isLast: False if the migration has further steps.
    /// - Throws: `migrationNotInferred` if the versions differ too much, or if a record lacks what
    ///   only the new version demands; `constraintConflict` if
    ///   records share a key that only the new version wants to be unique; `storeChanged` if
    ///   another process has replaced the model meanwhile; `diskFull` if the disk has no room for
    ///   the copy that the options ask for; `cancelled`. The file is then unchanged.
    func migrate(
        to model: ManagedObjectModel, waitingFor pending: PendingStage? = nil, isLast: Bool = true
    ) throws {
        let migration = try StoreOpening.inferredMigration(from: self.model, to: model, path: path)
        let isKept = options.keepsCopyWhenMigrating && environment.vfs == nil
        var copy: StoreCopy?
        do {
            try migrating { source in
                let connection = source.connection
                if isKept {
                    copy = try writeCopy(connection)
                    try reportMigration(0)
                }
                try replaceModel(by: model, source, migration)
                // The code of a custom stage can give records what they lack.
                if pending == nil { try check(migration.newDemands, of: model, connection) }
                try pending?.write(connection)
                try UnfinishedMigration.mark(connection, !isLast || pending != nil)
            }
        } catch {
            copy?.remove()
            throw error
        }
        options.migrationProgress?.reach(1)
    }

    /// Runs a migration in one transaction under the file's present model.
    func migrating(_ body: (StateTransaction) throws -> Void) throws {
        try withWriter { connection in
            try cancellable(connection) {
                try connection.largeTransaction {
                    let source = try StateTransaction(
                        connection, store: self, replicas: ReplicaTable.read(connection))
                    try reportMigration(0)
                    try body(source)
                    try checkMigrationIsWanted()
                }
            }
        }
    }

    /// Copies the file as it is before the transaction.
    ///
    /// - Returns: `nil` if there is a copy from before an earlier step of the same migration.
    private func writeCopy(_ connection: Connection) throws -> StoreCopy? {
        let copy = StoreCopy(path: path, occasion: .migration, freeBytes: environment.freeBytes)
        if copy.exists, try UnfinishedMigration.isMarked(connection) { return nil }
        try copy.write(of: connection) { reader, write in try cancellable(reader, write) }
        return copy
    }

    /// Replaces the model and the tables within a transaction.
    ///
    /// - Returns: The number of records that were written.
    @discardableResult
    func replaceModel(
        by model: ManagedObjectModel, _ source: StateTransaction, _ migration: InferredMigration
    ) throws -> Int {
        if try alterTables(to: model, source) { return 0 }
        return try replaceTables(to: model, source, checking: migration.newConstraints)
    }

    /// Checks that every record has what only the new version demands.
    ///
    /// - Throws: `migrationNotInferred`.
    func check(
        _ demands: [PropertyDescription], of model: ManagedObjectModel, _ connection: Connection
    ) throws {
        guard !demands.isEmpty else { return }
        let schema = StoreSchema(model, numbers: try SchemaNumbers.read(connection))
        try DemandCheck(properties: demands, path: path)
            .run(StoreReader(connection, schema: schema))
    }

    /// Changes the tables in a time that does not depend on the number of records, unless it adds
    /// links.
    ///
    /// - Returns: False if the rows have to be written. The file is then unchanged.
    private func alterTables(
        to model: ManagedObjectModel, _ source: StateTransaction
    ) throws -> Bool {
        let connection = source.connection
        let former = try SchemaNumbers.read(connection)
        let last = try source.log.nextPosition() - 1
        var numbers = SchemaNumbers(numbering: model, keeping: former)
        numbers.additions = former.additions
        numbers.dropped = former.dropped
        numbers.drop(from: schema, at: last)
        let present = StoreSchema(model, numbers: numbers)
        guard let alteration = TableAlteration(from: schema, to: present),
            try !alteration.needsRows(connection)
        else { return false }
        try alteration.run(connection)
        numbers.add(alteration.addedProperties, at: last)
        try numbers.write(connection)
        try connection.writeModel(model)
        source.state.model = model.hash
        try source.writeState()
        if alteration.makesLinks {
            let schema = StoreSchema(model, numbers: numbers)
            try write(as: model, schema, after: source) {
                try $0.views.applyFormerLinkRuleToAll(reporting: reportMigration)
            }
        }
        return true
    }

    /// Moves all records into new tables.
    ///
    /// - Returns: The number of records.
    @discardableResult
    func replaceTables(
        to model: ManagedObjectModel, _ source: StateTransaction,
        checking constraints: [[AttributeDescription]]
    ) throws -> Int {
        let connection = source.connection
        let state = try ModelMigration(removing: source, for: model)
        let schema = try connection.install(model, hasIndexes: false)
        source.state.model = model.hash
        try source.writeState()
        try write(as: model, schema, after: source) {
            try state.load(into: $0, checking: constraints)
        }
        return state.recordCount
    }

    /// Continues a transaction under the new model.
    private func write(
        as model: ManagedObjectModel, _ schema: StoreSchema, after source: StateTransaction,
        _ body: (StateTransaction) throws -> Void
    ) throws {
        let connection = source.connection
        let migrated = try Store(
            path: path, model: model, schema: schema, modelHash: model.hash, options: options,
            environment: environment, access: access, writer: connection,
            replicas: source.replicas)
        let destination = try StateTransaction(
            connection, store: migrated, replicas: source.replicas)
        try body(destination)
        try destination.finish()
    }
}
