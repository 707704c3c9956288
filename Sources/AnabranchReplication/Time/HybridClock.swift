/// The clock of one replica. Each timestamp that it issues is later than all that it has issued or
/// observed.
///
/// The clock reads no wall clock: the caller passes the time, so a simulation can replay any
/// schedule. The caller also persists ``latest`` in the transaction that used it, so the clock
/// never issues a timestamp twice, not even after a crash.
package struct HybridClock: Hashable, Sendable {
    /// The greatest timestamp issued or observed.
    package private(set) var latest: HybridTimestamp

    /// Creates a clock.
    ///
    /// - Parameter latest: The persisted ``latest`` of the replica.
    package init(latest: HybridTimestamp = .zero) { self.latest = latest }

    /// Advances the clock for a local event.
    ///
    /// A wall clock that stands still or steps back only advances the counter; a full counter
    /// carries into the milliseconds.
    ///
    /// - Parameter wallMilliseconds: Since 1970-01-01 UTC, as the host reports them now.
    /// - Returns: A timestamp later than any that this clock has issued or observed. At the end
    ///   of representable time it returns `nil`: the caller refuses the event.
    package mutating func tick(wallMilliseconds: Int64) -> HybridTimestamp? {
        let wall = HybridTimestamp(wallMilliseconds: wallMilliseconds)
        guard latest.rawValue < Limits.greatestTimestamp else { return nil }
        latest = max(wall, HybridTimestamp(rawValue: latest.rawValue + 1))
        return latest
    }

    /// Records a timestamp that came from another replica.
    package mutating func observe(_ timestamp: HybridTimestamp) {
        latest = max(latest, timestamp)
    }
}
