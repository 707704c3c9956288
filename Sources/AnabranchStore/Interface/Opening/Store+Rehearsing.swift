package import AnabranchModel

/// The work of a migration, found out by one that was rolled back.
public struct MigrationRehearsal: Hashable, Sendable {
    /// The number of records that are written again; zero if only tables are changed.
    public let writtenRecords: Int
}

extension Store {
    private struct RollBack: Error {}

    /// Carries out a migration, and rolls it back.
    ///
    /// - Throws: What ``migrate(to:waitingFor:isLast:)`` throws. The file is unchanged.
    package func rehearseMigration(to model: ManagedObjectModel) throws -> MigrationRehearsal {
        let migration = try StoreOpening.inferredMigration(from: self.model, to: model, path: path)
        var written = 0
        do {
            try migrating { source in
                written = try replaceModel(by: model, source, migration)
                try check(migration.newDemands, of: model, source.connection)
                throw RollBack()
            }
        } catch is RollBack {}
        return MigrationRehearsal(writtenRecords: written)
    }
}
