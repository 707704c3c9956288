import AnabranchReplication

/// Saves that the zone has rejected. Whether this file has applied such a save or not, it keeps the
/// content when the void arrives (invariant 15).
extension ApplyOperation {
    /// Replaces a save in this file's log by its void, and keeps its content.
    ///
    /// - Parameter set: The form in the zone's log, under the dot of the held entry.
    /// - Returns: False if the entry is no save or the form no void: nothing was changed.
    @discardableResult
    mutating func replaceByVoid(_ held: StoredLogEntry, _ set: ChangeSet) throws -> Bool {
        guard held.changeSet.kind.isSave, set.kind == .void else { return false }
        var voiding = SaveVoiding(transaction)
        try voiding.run([(held, set)], &changes)
        return true
    }

    /// Updates the table of rejected saves for an entry that this file's log gets now.
    func settleRejection(of set: ChangeSet) throws {
        if set.kind == .void {
            // A bundle may have brought the save, which waits for what its author had seen.
            guard let waiting = try waitingSets.set(set.origin), waiting.kind.isSave else { return }
            var voiding = SaveVoiding(transaction)
            try voiding.keep(waiting, rejectedBy: set)
            try waitingSets.remove(set.origin)
        } else if set.kind.isSave, transaction.state.start != nil {
            // The log entry that said that a zone had rejected the save may be trimmed.
            try RejectedSaves(connection: connection).remove(withOrigin: set.origin)
        }
    }
}
