extension SyncEngine {
    /// Compares the store's whole state with the zone's, and repairs the differences on request.
    ///
    /// First everything is exchanged, so that both sides hold the same change sets. Then checksums
    /// over records are compared, over ever smaller ranges where they differ. So the cost depends
    /// on the number of differences. Saves may continue meanwhile; if they never pause, the result
    /// is `busy`.
    ///
    /// Contexts are notified of repaired records as of any remote change. Values and links that
    /// only the store had are then in the conflict journal, with the kind `replacedByRepair`.
    ///
    /// - Parameter isRepairing: Whether records that differ take the zone's state.
    /// - Throws: The errors of ``synchronize()``, and ``SyncError`` with code `storeFailed` if
    ///   SQLite finds the file damaged.
    public func verify(repairing isRepairing: Bool = false) async throws -> ZoneComparison {
        ZoneComparison(try await run(verifying: isRepairing ? .repairing : .reporting))
    }
}
