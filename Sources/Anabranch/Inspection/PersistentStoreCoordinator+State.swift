package import AnabranchReplication
public import AnabranchStore

extension PersistentStoreCoordinator {
    /// Returns the hash of the merged state. It is equal on every replica and zone that holds the
    /// same change sets. It reads every record.
    ///
    /// - Returns: The hash as hexadecimal digits.
    /// - Throws: `StoreError`.
    public func canonicalHash() throws -> String { try store.canonicalHash().description }

    /// Checks the file without its zone.
    ///
    /// The check covers SQLite's own integrity check, the digests and origins of the log, and
    /// whether the state is what the log says. The last check needs a log that reaches back to the
    /// beginning, and no record that waits for repair. It merges the log again in the temporary
    /// directory. The check reads the whole file.
    ///
    /// - Returns: The findings.
    /// - Throws: `StoreError` if the file can't be read at all.
    public func checkFile() throws -> StoreCheck { try store.check() }

    /// The label of the custom stage that the store waits for; `nil` if its migration is complete.
    ///
    /// A store that was opened without a model can be read then, and is not written.
    public var pendingMigrationStage: String? { store.pendingStage?.label }

    /// Returns the version vector of the file: the change sets that it holds from every replica.
    ///
    /// - Throws: `StoreError`.
    package func versionVector() throws -> VersionVector {
        try store.read { try $0.versionVector() }
    }
}
