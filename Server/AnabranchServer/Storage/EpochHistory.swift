package import AnabranchReplication

/// The epochs of a zone's log, oldest first.
///
/// A server that is restored or copied starts a new epoch at the position to which it was restored.
/// Entries of the old epoch beyond that position belong to another log, though they may have the
/// same positions (invariant 6).
package struct EpochHistory: Hashable, Sendable {
    package struct Epoch: Hashable, Sendable {
        package var id: EpochID
        /// The position at which it branched from the previous epoch; zero for the first.
        package var forkPosition: UInt64
    }

    /// The epochs; never empty, and the last one is the present one.
    package let epochs: [Epoch]

    /// Creates a history; `nil` if there is no epoch.
    package init?(_ epochs: [Epoch]) {
        guard !epochs.isEmpty else { return nil }
        self.epochs = epochs
    }

    package var present: EpochID { epochs[epochs.count - 1].id }

    /// The last position of an epoch that belongs to the present log too.
    ///
    /// - Parameter head: The position of the log's last entry.
    ///
    /// - Returns: `nil` for an epoch that is not in this history.
    package func reach(of epoch: EpochID, head: UInt64) -> UInt64? {
        guard let index = epochs.lastIndex(where: { $0.id == epoch }) else { return nil }
        return epochs[(index + 1)...].reduce(head) { min($0, $1.forkPosition) }
    }
}
