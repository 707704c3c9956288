import AnabranchReplication
import AnabranchSQLite

/// Sets that were declared lost: entries that count as held and change nothing.
extension ApplyOperation {
    /// An entry under the dot of a set that this file had and no longer has in its log, or in the
    /// place of which it has one that was declared lost.
    ///
    /// What such a set did, or would have done, the log does not tell any more: what it may have
    /// touched is asked for (invariant 12).
    ///
    /// - Returns: Whether the entry was that, and is in the log now.
    mutating func meetLoss(of set: ChangeSet, at place: CausalContext.Prefix) throws -> Bool {
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        let head = try transaction.head(of: ordinal)
        guard set.dot.sequence <= head.sequence else { return false }
        let held = try log.entry(named: set.dot)
        guard let held else {
            try owe(for: set, at: try log.append(set, ordinal: ordinal, place: place))
            return true
        }
        guard held.changeSet.kind == .lost, held.place == nil,
            try isStoodIn(for: held, by: set.origin)
        else { return false }
        try log.replace(held, by: set, ordinal: ordinal)
        try ZonePlaces(connection).note(place, ofSetAt: held.localPosition)
        if head.sequence == set.dot.sequence {
            try transaction.setHead(of: ordinal, sequence: head.sequence, origin: set.origin)
        }
        try owe(for: set, at: held.localPosition)
        return true
    }

    /// Whether a set takes the place of an entry that was declared lost: what this file has behind
    /// the entry continues the set, or may do so.
    func isStoodIn(for lost: LogEntry, by origin: Digest) throws -> Bool {
        let dot = lost.changeSet.dot
        let next = Dot(replica: dot.replica, sequence: dot.sequence + 1)
        guard let follower = try log.entry(named: next)?.changeSet, follower.kind != .lost
        else { return true }
        return follower.previousOrigin == origin
    }

    /// What was declared lost continues whatever history, and whatever continues it.
    func followsLoss(_ set: ChangeSet) throws -> Bool {
        if set.kind == .lost { return true }
        // A history that was renamed from a lost entry on left one of which nothing is known.
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        let head = try transaction.head(of: ordinal)
        if head.sequence > 0, head.origin == .zero { return true }
        let before = [
            set.dot.predecessor, set.dot.sequence == 1 ? set.rewrittenFrom?.predecessor : nil,
        ]
        return try before.contains { dot in
            try dot.flatMap { try log.entry(named: $0) }?.changeSet.kind == .lost
        }
    }

    /// - Parameter position: In this file's log.
    private func owe(for set: ChangeSet, at position: Int64) throws {
        let debts = Debts(connection: connection)
        guard set.kind == .lost else {
            return try debts.add(try transaction.touched(by: set), since: position)
        }
        try debts.addEverything(in: schema)
        try log.forEach(after: 0) { entry in
            try debts.add((try? transaction.touched(by: entry.changeSet)) ?? [])
        }
    }
}
