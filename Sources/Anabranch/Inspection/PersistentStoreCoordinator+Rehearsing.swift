public import AnabranchModel
public import AnabranchStore

extension PersistentStoreCoordinator {
    /// Carries out the migration to another version of the store's model, and rolls it back.
    ///
    /// It finds what the differences between the models do not tell, such as records that share a
    /// key which is unique in the new version only. It takes as long as the migration. Other saves
    /// wait meanwhile, and the store's folder needs room for a second copy of the store.
    ///
    /// - Throws: The `StoreError` with which the migration would fail. The store is unchanged.
    public func rehearseMigration(to model: ManagedObjectModel) throws -> MigrationRehearsal {
        try store.rehearseMigration(to: model)
    }
}
