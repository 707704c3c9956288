import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Sets a clock back that has observed a time which no device's clock shows.
    ///
    /// A version that took in every time may have left such a store: its clock may be at the end
    /// of representable time, and then nothing can be saved. The change sets of such times that
    /// the zone does not hold get earlier ones, as after a zone's refusal, and the clock goes back
    /// with them. What a zone holds keeps its time, and then the clock keeps it too.
    ///
    /// If the zone holds the last time that there is, nothing changes: the store can be read, and
    /// saves fail with `exhausted`.
    func healClock() throws {
        guard !options.isReadOnly else { return }
        // The pool of readers stays empty until the first read.
        let state = try withWriter { try StoreState.read($0) }
        guard StoreTime(state, environment).isImpossible else { return }
        do {
            try write { transaction in
                guard transaction.time.isImpossible else { return }
                let limit = TimeLimit.latestPossible(wallMilliseconds: transaction.wallMilliseconds)
                var changes = ChangeCollector()
                let latest = try transaction.restamp(above: limit, &changes)
                // If `latest` is `nil`, the clock has observed a time that the log does not
                // contain.
                transaction.state.clock = HybridClock(
                    latest: try latest ?? transaction.greatestTimestamp(upTo: limit))
                _ = try transaction.collected(changes)
                _ = try transaction.writeConflicts()
            }
        } catch let error as StoreError where error.code == .exhausted {}
    }
}
