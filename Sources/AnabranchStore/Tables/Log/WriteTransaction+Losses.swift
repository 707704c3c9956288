import AnabranchReplication
import AnabranchSQLite

// Change sets that were declared lost: the log has only their names.
extension WriteTransaction {
    /// True if a change set may replace an entry that was declared lost: this file's next change
    /// set names it as its predecessor, is declared lost itself, or does not exist.
    func canReplaceLost(_ lost: StoredLogEntry, by origin: Digest) throws -> Bool {
        let dot = lost.changeSet.dot
        let next = Dot(replica: dot.replica, sequence: dot.sequence + 1)
        guard let follower = try log.entry(named: next)?.changeSet, follower.kind != .lost
        else { return true }
        return follower.previousOrigin == origin
    }

    /// True if a change set follows, or is, an entry declared lost. Such an entry may continue any
    /// history, and any change set may continue it.
    func followsLoss(_ set: ChangeSet) throws -> Bool {
        if set.kind == .lost { return true }
        // A history that was renamed from a lost entry on has left a history with an unknown head.
        let ordinal = try ordinal(of: set.dot.replica)
        let head = try head(of: ordinal)
        if head.sequence > 0, head.origin == .zero { return true }
        let before = [
            set.dot.predecessor, set.dot.sequence == 1 ? set.rewrittenFrom?.predecessor : nil,
        ]
        return try before.contains { dot in try dot.map(isLost) ?? false }
    }

    /// True if the entry with a dot was declared lost. A head shows it too: the log may have been
    /// trimmed up to it.
    private func isLost(_ dot: Dot) throws -> Bool {
        if let entry = try log.entry(named: dot) { return entry.changeSet.kind == .lost }
        let head = try head(of: try ordinal(of: dot.replica))
        return head.sequence == dot.sequence && head.origin == ChangeSet(lost: dot).origin
    }
}
