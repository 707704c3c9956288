import AnabranchModel
import AnabranchSQLite

extension Store {
    /// Replaces the file's model and its tables by those of another version, in one transaction.
    ///
    /// Afterwards this opening of the file can't write: open the file again.
    ///
    /// - Throws: `migrationNotInferred` if the versions differ too much; `constraintConflict` if
    ///   records share a key that only the new version wants to be unique; `storeChanged` if
    ///   another process has replaced the model meanwhile. The file is then unchanged.
    func migrate(to model: ManagedObjectModel) throws {
        let migration = try StoreOpening.inferredMigration(from: self.model, to: model, path: path)
        try withWriter { connection in
            try connection.transaction(.immediate) {
                let source = try StateTransaction(
                    connection, store: self, replicas: ReplicaTable.read(connection))
                let state = try ModelMigration(removing: source)
                let schema = try connection.install(model)
                source.state.model = model.hash
                try source.state.write(connection)
                let migrated = Store(
                    path: path, model: model, schema: schema, modelHash: model.hash,
                    options: options, environment: environment, writer: connection,
                    replicas: source.replicas)
                let destination = try StateTransaction(
                    connection, store: migrated, replicas: source.replicas)
                try state.load(into: destination, checking: migration.newConstraints)
                try destination.finish()
            }
        }
    }
}
