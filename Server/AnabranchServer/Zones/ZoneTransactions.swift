import AnabranchReplication

/// The write transactions of a zone, of which one runs at a time, and the measure of their lock.
struct ZoneTransactions: Sendable {
    let storage: any ZoneStorage
    let metrics: ServerMetrics

    /// Runs `body` in the zone's one write transaction, which is durable when this returns.
    ///
    /// It records how long the caller waited for the lock, with other daemons and the beginning of
    /// the transaction, and how long it then held the lock, with the commit.
    func write<Result>(
        _ needs: ZoneNeeds = ZoneNeeds(), _ body: (ZoneDraft) throws -> Result
    ) throws -> Result {
        let asked = ContinuousClock.now
        var begun: ContinuousClock.Instant?
        defer {
            let end = ContinuousClock.now
            metrics.lockWaitSeconds.record(((begun ?? end) - asked) / .seconds(1))
            if let begun { metrics.lockSeconds.record((end - begun) / .seconds(1)) }
        }
        return try storage.write(needs) { writer in
            // A storage may repeat the transaction, which lets the lock go in between.
            begun = .now
            return try body(writer)
        }
    }
}
