package import AnabranchReplication
import AnabranchSQLite

// A zone keeps the name and the origin of every set for ever, and forgets what was in it. So its
// answer to a push may be the only word on a set that no pull brings any more.
extension Store {
    /// Gives another name to a history of which the zone's log has another branch, where the log
    /// no longer sends that branch; then a snapshot is wanted, which holds what it did.
    ///
    /// - Parameters:
    ///   - dot: The name that the branches share first.
    ///   - origin: Of the set that the zone has under it.
    /// - Returns: `nil` where this file has no such branch: nothing was changed.
    /// - Throws: ``StoreError``; nothing was changed.
    package func yieldName(_ dot: Dot, to origin: Digest) throws -> ChangedRecords? {
        try write { transaction in
            let log = transaction.log
            guard let held = try log.entry(named: dot), held.place == nil,
                held.changeSet.origin != origin
            else { return nil }
            return try transaction.rewriteAboveSnapshot { operation in
                if held.changeSet.kind == .lost, try operation.isStoodIn(for: held, by: origin) {
                    return try log.forget(held.localPosition)
                }
                try operation.noteOwnHistory(of: dot.replica)
                try operation.yieldName(dot)
            }
        }
    }

    /// Gives pushed sets the form in which the zone's log has them, where the log no longer sends
    /// it; then a snapshot is wanted.
    ///
    /// - Parameter horizon: The place up to which the snapshot surely stands for the log. What
    ///   lies behind it a pull may still bring.
    /// - Returns: `nil` where none of them was in another form: nothing was changed.
    /// - Throws: ``StoreError``; nothing was changed.
    package func takeForms(
        _ acknowledged: [Acknowledged], beneath horizon: CausalContext.Prefix
    ) throws -> ChangedRecords? {
        try write { transaction in
            let log = transaction.log
            let others = try acknowledged.filter { item in
                guard let held = try log.entry(at: item.localPosition) else { return false }
                return held.place == nil && !item.names(held.changeSet.form(after: item.rejection))
            }
            guard !others.isEmpty else { return nil }
            return try transaction.rewriteAboveSnapshot { operation in
                for item in others { try operation.takeName(item) }
                for item in others { try operation.takePlace(item, beneath: horizon) }
            }
        }
    }
}

extension Acknowledged {
    fileprivate func names(_ set: ChangeSet) -> Bool { dot == set.dot && digest == set.digest }
}

extension WriteTransaction {
    /// What the rewritten sets touch is made right by the snapshot, which is below all of them.
    fileprivate func rewriteAboveSnapshot(
        _ rewrite: (inout ApplyOperation) throws -> Void
    ) throws -> ChangedRecords {
        var operation = ApplyOperation(self)
        try rewrite(&operation)
        state.wantsSnapshot = true
        var changed = try collected(operation.changes)
        changed.conflicts = try settleConflicts()
        changed.rejections = rejections
        return changed
    }
}

extension ApplyOperation {
    fileprivate mutating func takeName(_ item: Acknowledged) throws {
        guard let held = try log.entry(at: item.localPosition)?.changeSet,
            held.dot != item.dot || held.timestamp != item.timestamp
        else { return }
        try noteOwnHistory(of: item.dot.replica)
        try move(held, to: item.dot, item.timestamp, adopting: nil)
    }

    /// Once all have their names, what they mention has them too. A set that is still not what the
    /// zone has mentions what others have renamed. Beneath the horizon no log says so any more: it
    /// leaves this file's log, and the snapshot stands for it. Behind it the set stays, below what
    /// follows it, until the pull brings the log's form.
    fileprivate mutating func takePlace(
        _ item: Acknowledged, beneath horizon: CausalContext.Prefix
    ) throws {
        guard let held = try log.entry(at: item.localPosition) else { return }
        let form = held.changeSet.form(after: item.rejection)
        if form.kind != held.changeSet.kind {
            var operation = VoidOperation(transaction)
            try operation.run([(held, form)], &changes)
        }
        guard item.names(form) || item.position > horizon.position else {
            return try log.forget(item.localPosition)
        }
        try ZonePlaces(connection).note(
            CausalContext.Prefix(epoch: horizon.epoch, position: item.position),
            ofSetAt: item.localPosition)
    }
}
