import AnabranchStore

extension PersistentStoreCoordinator {
    /// Returns the least version of the app that may sync with the zone; `nil` if none is set.
    ///
    /// - Throws: `StoreError`.
    public func minimumVersion() throws -> Int? {
        try store.minimumVersion().map(Int.init(clamping:))
    }

    /// Raises the least version of the app that may sync with the zone.
    ///
    /// It is a save of its own and travels like every other one, through any server and in bundles.
    /// Apps of a lower version, as `SyncOptions.appVersion` says it, stop to sync when they have
    /// pulled it. They keep all their saves, and send them after their update. A minimum never
    /// falls; of several that replicas set at the same time, the greatest counts.
    ///
    /// Set at most the version of the app that runs: a greater one stops this app too, before it
    /// has pushed the setting.
    ///
    /// - Parameters:
    ///   - version: A version of the app, as a positive number that rises with each release.
    ///   - author: The author of the save.
    /// - Throws: `StoreError` with code `cannotWin` if the present minimum is greater. Nothing was
    ///   saved.
    public func setMinimumVersion(_ version: Int, author: String = "") throws {
        try store.raiseMinimumVersion(to: Int64(version), author: author)
    }
}
