import AnabranchReplication
import AnabranchSQLite

/// Change sets that were declared lost: their entries count as held and change nothing.
extension ApplyOperation {
    /// Handles an entry under the dot of a change set that this file has removed from its log, or
    /// has as declared lost.
    ///
    /// This log does not tell what that change set did, or would have done. So every record that it
    /// may have changed waits for repair (invariant 12).
    ///
    /// - Returns: True if the entry was such a case and is in the log now.
    mutating func meetLoss(of set: ChangeSet, at place: CausalContext.Prefix) throws -> Bool {
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        let head = try transaction.head(of: ordinal)
        guard set.dot.sequence <= head.sequence else { return false }
        let held = try log.entry(named: set.dot)
        guard let held else {
            try settleRejection(of: set)
            try queueForRepair(for: set, at: try log.append(set, ordinal: ordinal, place: place))
            return true
        }
        guard held.changeSet.kind == .lost, held.place == nil,
            try transaction.canReplaceLost(held, by: set.origin)
        else { return false }
        try settleRejection(of: set)
        try transaction.replace(held, by: set, ordinal: ordinal)
        try ZonePositions(transaction).record(place, ofSetAt: held.localPosition)
        if head.sequence == set.dot.sequence {
            try transaction.setHead(of: ordinal, sequence: head.sequence, origin: set.origin)
        }
        try queueForRepair(for: set, at: held.localPosition)
        return true
    }

    /// Queues the records that a change set may have changed for repair.
    ///
    /// - Parameter position: The change set's local position.
    private func queueForRepair(for set: ChangeSet, at position: Int64) throws {
        let queue = RepairQueue(connection: connection)
        guard set.kind == .lost else {
            return try queue.add(try transaction.touched(by: set), since: position)
        }
        try queue.addEverything(in: schema)
        try log.forEach(after: 0) { entry in
            try queue.add((try? transaction.touched(by: entry.changeSet)) ?? [])
        }
    }
}
