package import AnabranchReplication
import AnabranchSQLite

// A zone keeps the dot and the origin of every change set permanently, but not its content. So its
// answer to a push may be the only information about a change set that no pull brings any more.
extension Store {
    /// Renames a branch if the zone's log has another branch of the same history but no longer
    /// sends it. A snapshot is then requested, because it includes the other branch.
    ///
    /// - Parameters:
    ///   - dot: The first dot that both branches have. If the zone has no change set under it, the
    ///     branch begins earlier, and the log says where.
    ///   - origin: The origin of the zone's change set under that dot; `nil` if it has none.
    /// - Returns: `nil` if this file has no such branch: nothing was changed.
    /// - Throws: ``StoreError``; nothing was changed.
    package func renameBranch(_ dot: Dot, to origin: Digest?) throws -> ChangedRecords? {
        try write { transaction in
            let log = transaction.log
            guard let held = try log.entry(named: dot), held.place == nil,
                held.changeSet.origin != origin
            else { return nil }
            return try transaction.rewriteAboveSnapshot { operation in
                if let origin, held.changeSet.kind == .lost,
                    try transaction.canReplaceLost(held, by: origin)
                {
                    return try log.forget(held.localPosition)
                }
                try operation.addOwnHistory(of: dot.replica)
                let first = try origin == nil ? log.beginning(of: held) : held
                try operation.renameBranch(first.changeSet.dot)
            }
        }
    }

    /// Gives a change set the least time that is later than the one of its predecessor in the
    /// zone's log. The change sets that follow it get later times too.
    ///
    /// Another holder of the predecessor has restamped it, and this file's log no longer has it.
    ///
    /// - Parameters:
    ///   - dot: A change set that the zone does not hold.
    ///   - floor: The time of its predecessor in the zone's log.
    /// - Returns: `nil` if this file has no such change set, or if its time is later: nothing was
    ///   changed.
    /// - Throws: ``StoreError`` `clockSkew` if the time can't be right; nothing was changed.
    package func raise(_ dot: Dot, above floor: HybridTimestamp) throws -> ChangedRecords? {
        try write { transaction in
            guard let held = try transaction.log.entry(named: dot), held.place == nil,
                held.changeSet.timestamp <= floor
            else { return nil }
            try transaction.check(floor, of: "the predecessor of \(dot) in the zone", .zone)
            return try transaction.rewriteLog { try $0.raise(held.changeSet, above: floor) }
        }
    }

    /// Gives pushed change sets the form that the zone's log has, if the log no longer sends it. A
    /// snapshot is then requested.
    ///
    /// - Parameter horizon: The position up to which the snapshot certainly includes the log. A
    ///   pull may still bring what comes after it.
    /// - Returns: `nil` if none of them had another form: nothing was changed.
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

extension StateTransaction {
    /// Rewrites change sets and requests a snapshot. The snapshot corrects the records that they
    /// change, because it lies below all of them.
    fileprivate func rewriteAboveSnapshot(
        _ rewrite: (inout ApplyOperation) throws -> Void
    ) throws -> ChangedRecords {
        state.wantsSnapshot = true
        return try rewriteLog(rewrite)
    }

    fileprivate func rewriteLog(
        _ rewrite: (inout ApplyOperation) throws -> Void
    ) throws -> ChangedRecords {
        var operation = ApplyOperation(self)
        try rewrite(&operation)
        var changed = try collected(operation.changes)
        changed.conflicts = try writeConflicts()
        changed.rejections = rejections
        return changed
    }
}

extension ApplyOperation {
    fileprivate mutating func takeName(_ item: Acknowledged) throws {
        guard let held = try log.entry(at: item.localPosition)?.changeSet,
            held.dot != item.dot || held.timestamp != item.timestamp
        else { return }
        try transaction.check(item.timestamp, of: "\(item.dot) of the zone", .zone)
        try addOwnHistory(of: item.dot.replica)
        try move(held, to: item.dot, item.timestamp, adopting: nil)
    }

    /// Records the zone position of a pushed change set, or removes the change set from the log.
    /// All change sets already have their new names, and so have their mentions.
    ///
    /// A change set that still differs from the zone's mentions something that another replica
    /// renamed. If it lies before the horizon, no log brings the zone's form any more: it is
    /// removed, and the snapshot includes it. If it lies after the horizon, it stays until the pull
    /// brings the zone's form.
    fileprivate mutating func takePlace(
        _ item: Acknowledged, beneath horizon: CausalContext.Prefix
    ) throws {
        guard let held = try log.entry(at: item.localPosition) else { return }
        let form = held.changeSet.form(after: item.rejection)
        if form.kind != held.changeSet.kind {
            var voiding = SaveVoiding(transaction)
            try voiding.run([(held, form)], &changes)
        }
        guard item.names(form) || item.position > horizon.position else {
            return try log.forget(item.localPosition)
        }
        try ZonePositions(transaction).record(
            CausalContext.Prefix(epoch: horizon.epoch, position: item.position),
            ofSetAt: item.localPosition)
    }
}
