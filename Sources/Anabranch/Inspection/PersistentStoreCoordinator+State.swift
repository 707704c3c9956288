public import AnabranchReplication
import AnabranchStore

extension PersistentStoreCoordinator {
    /// The hash of the merged state: equal on every replica and zone that holds the same change
    /// sets. Reads every record.
    ///
    /// - Throws: ``StoreError``.
    public func canonicalHash() throws -> Digest { try store.canonicalHash() }

    /// What the file holds of every replica.
    ///
    /// - Throws: ``StoreError``.
    public func versionVector() throws -> VersionVector {
        try store.read { try $0.versionVector() }
    }
}
