import AnabranchModel
import AnabranchSQLite

extension Store {
    /// Replaces the file's model and its tables by those of another version, in one transaction.
    ///
    /// Afterwards this opening of the file can't write: open the file again.
    ///
    /// - Throws: `migrationNotInferred` if the versions differ too much; `constraintConflict` if
    ///   records share a key that only the new version wants to be unique; `storeChanged` if
    ///   another process has replaced the model meanwhile; `diskFull` if the disk has no room for
    ///   the copy that the options ask for; `cancelled`. The file is then unchanged.
    func migrate(to model: ManagedObjectModel) throws {
        let migration = try StoreOpening.inferredMigration(from: self.model, to: model, path: path)
        let isKept = options.keepsCopyWhenMigrating && environment.vfs == nil
        let copy = isKept ? StoreCopy(path: path) : nil
        do {
            try migrate(to: model, by: migration, keeping: copy)
        } catch {
            copy?.remove()
            throw error
        }
        options.migrationProgress?.reach(1)
    }

    private func migrate(
        to model: ManagedObjectModel, by migration: InferredMigration, keeping copy: StoreCopy?
    ) throws {
        try withWriter { connection in
            try connection.largeTransaction {
                let source = try StateTransaction(
                    connection, store: self, replicas: ReplicaTable.read(connection))
                try reportMigration(0)
                try copy?.write(of: connection)
                if try !alterTables(to: model, source) {
                    try replaceTables(to: model, source, checking: migration.newConstraints)
                }
            }
        }
    }

    /// Changes the tables in a time that does not depend on the number of records.
    ///
    /// - Returns: False if the rows have to be written. The file is then unchanged.
    private func alterTables(
        to model: ManagedObjectModel, _ source: StateTransaction
    ) throws -> Bool {
        let connection = source.connection
        let former = try SchemaNumbers.read(connection)
        var numbers = SchemaNumbers(numbering: model, keeping: former)
        let present = StoreSchema(model, numbers: numbers)
        guard let alteration = TableAlteration(from: schema, to: present),
            try !alteration.isAwaited(connection)
        else { return false }
        try alteration.run(connection)
        numbers.additions = former.additions
        numbers.add(alteration.addedProperties, at: try source.log.nextPosition() - 1)
        try numbers.write(connection)
        try connection.writeModel(model)
        source.state.model = model.hash
        try source.state.write(connection)
        return true
    }

    /// Moves all records into new tables.
    private func replaceTables(
        to model: ManagedObjectModel, _ source: StateTransaction,
        checking constraints: [[AttributeDescription]]
    ) throws {
        let connection = source.connection
        let state = try ModelMigration(removing: source, for: model)
        let schema = try connection.install(model, hasIndexes: false)
        source.state.model = model.hash
        try source.state.write(connection)
        let migrated = Store(
            path: path, model: model, schema: schema, modelHash: model.hash, options: options,
            environment: environment, writer: connection, replicas: source.replicas)
        let destination = try StateTransaction(
            connection, store: migrated, replicas: source.replicas)
        try state.load(into: destination, checking: constraints)
        try destination.finish()
    }
}
