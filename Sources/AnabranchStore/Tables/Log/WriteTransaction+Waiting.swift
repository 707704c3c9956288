import AnabranchSQLite

// After a snapshot, the log may have change sets that wait for their predecessors, or for the zone
// to rename their branch. The rows do not have their changes.
extension WriteTransaction {
    /// The positions among those given at which the log has a change set that was applied.
    final func applied(_ positions: [Int64]) throws -> [Int64] {
        try positions.filter(isApplied)
    }

    /// True if the change set at a position of the log has been applied under the name that it has
    /// here, which may be one that this file has given to a branch.
    ///
    /// The log leads from an applied change set to the head of its history. A branch that waits
    /// ends elsewhere, because the head is that of the snapshot.
    final func isApplied(at position: Int64) throws -> Bool {
        guard state.start != nil else { return true }
        return try connection.cached(
            """
            SELECT 1 FROM ab_changeset entry JOIN ab_head r ON r.ordinal = entry.replica
            JOIN ab_changeset last ON last.replica = entry.replica AND last.seq = r.seen
            WHERE entry.position = ? AND entry.seq <= r.seen AND last.origin = r.origin
            """, position
        ).step()
    }
}
