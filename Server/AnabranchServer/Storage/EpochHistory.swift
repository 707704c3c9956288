package import AnabranchReplication

/// The lives of a zone's log, oldest first.
///
/// A server that is restored or copied starts a new epoch at the position it was restored to.
/// What the old epoch had beyond that position is of another log, though it may have the same
/// positions (invariant 6).
package struct EpochHistory: Hashable, Sendable {
    package struct Epoch: Hashable, Sendable {
        package var id: EpochID
        /// The position at which it left the epoch before it; zero for the first.
        package var forkPosition: UInt64

        package init(id: EpochID, forkPosition: UInt64) {
            self.id = id
            self.forkPosition = forkPosition
        }
    }

    /// Never empty; the last one is the present one.
    package let epochs: [Epoch]

    /// - Returns: `nil` where there is no epoch.
    package init?(_ epochs: [Epoch]) {
        guard !epochs.isEmpty else { return nil }
        self.epochs = epochs
    }

    package var present: EpochID { epochs[epochs.count - 1].id }

    /// The last position of an epoch that is also of the present log.
    ///
    /// - Parameter head: The position of the log's last entry.
    /// - Returns: `nil` for an epoch that this log never was in.
    package func reach(of epoch: EpochID, head: UInt64) -> UInt64? {
        guard let index = epochs.lastIndex(where: { $0.id == epoch }) else { return nil }
        return epochs[(index + 1)...].reduce(head) { min($0, $1.forkPosition) }
    }
}
