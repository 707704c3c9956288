public import AnabranchReplication
public import AnabranchStore

extension PersistentStoreCoordinator {
    /// The hash of the merged state: equal on every replica and zone that holds the same change
    /// sets. Reads every record.
    ///
    /// - Throws: ``StoreError``.
    public func canonicalHash() throws -> Digest { try store.canonicalHash() }

    /// Looks the file through, without its zone: whether SQLite finds it whole, its log what its
    /// digests and origins say, and its state what the log says, where that reaches the beginning
    /// and nothing waits to be repaired. Reads everything and, for the last, merges the log anew
    /// in the temporary directory.
    ///
    /// - Throws: ``StoreError`` where the file can't be read at all.
    public func checkFile() throws -> StoreCheck { try store.check() }

    /// What the file holds of every replica.
    ///
    /// - Throws: ``StoreError``.
    public func versionVector() throws -> VersionVector {
        try store.read { try $0.versionVector() }
    }
}
