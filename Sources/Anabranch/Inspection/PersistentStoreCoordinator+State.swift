public import AnabranchReplication
public import AnabranchStore

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

    /// What merging has discarded in this file, the newest first.
    ///
    /// - Throws: ``StoreError``.
    public func conflicts(limit: Int = .max) throws -> [Conflict] {
        try store.conflicts(limit: limit)
    }
}
