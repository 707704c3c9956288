import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Applies change sets from a zone's log in one transaction, together with the cursor after
    /// them.
    ///
    /// A change set that this file already holds, recognized by its origin, is not applied again,
    /// so a retry after a lost reply is harmless (invariant 3). No managed object is created.
    /// Change sets of bundles that waited for those of the page are applied after it.
    ///
    /// Values that the merge discards go to the conflict journal, and entries that the journal's
    /// retention rule does not keep are removed.
    ///
    /// - Returns: The records with changed stored values, for contexts to refresh, and the recorded
    ///   conflicts.
    /// - Throws: ``StoreError``; nothing was applied. `cursorMoved`: the file has changed since the
    ///   page was requested; pull again. `digestMismatch`: the page does not match its cursor.
    ///   `sequenceGap`, `forked`: a change set does not continue what is held of its replica.
    ///   `malformedChangeSet`: report its sender. `clockSkew`: a change set has a
    ///   timestamp that no clock shows.
    package func apply(_ page: RemotePage) throws -> ChangedRecords {
        try write { transaction in
            try transaction.takePlace(of: page)
            for set in page.changeSets {
                try transaction.check(set.timestamp, of: "\(set.dot) of the zone", .zone)
            }
            let places = try places(of: page)
            if try isLoad(page, transaction) { try transaction.indexes.drop() }
            var operation = ApplyOperation(transaction)
            for (changeSet, place) in zip(page.changeSets, places) {
                try operation.apply(changeSet, at: place)
            }
            try transaction.indexes.createAgain()
            if try operation.hasWaiting { try operation.releaseWaiting() }
            try transaction.log.raisePlaced()
            transaction.state.cursor = page.cursor
            if page.changeSets.contains(where: { $0.kind == .saveInParts }) {
                // These are parts of forms that were replaced.
                try PartTable(transaction.connection).removeUnused()
            }
            var changed = try transaction.collected(operation.changes)
            if transaction.hasConflicts {
                changed.conflicts = try transaction.writeConflicts()
            }
            changed.rejections = transaction.rejections
            return changed
        }
    }
}

extension Store {
    /// Indicates whether a page may bring many records into a store that has none.
    private func isLoad(_ page: RemotePage, _ transaction: StateTransaction) throws -> Bool {
        guard page.after.position == 0 else { return false }
        let isLarge = page.changeSets.contains {
            $0.kind == .saveInParts || $0.payload.count >= environment.leastLoadBytes
        }
        return try isLarge && transaction.indexes.areEmpty()
    }

    /// The zone positions of a page's change sets.
    ///
    /// They are computed before anything is applied. Otherwise a page that does not match its
    /// cursor would look like a log that contradicts itself.
    private func places(of page: RemotePage) throws -> [CausalContext.Prefix] {
        // The log may be in a later epoch now, in which the position is the same but the cursor
        // differs.
        var cursor = LogCursor(
            epoch: page.cursor.epoch, position: page.after.position,
            digestHigh: page.after.digestHigh, digestLow: page.after.digestLow)
        let places = page.changeSets.map { changeSet in
            cursor = cursor.advanced(over: changeSet)
            return CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position)
        }
        guard cursor == page.cursor || !Mechanism.cursorDigest.isOn else {
            throw StoreError(
                .digestMismatch,
                "Can't apply \(page.changeSets.count) change sets because they do not match the "
                    + "cursor that came with them. Pull again.", path: path)
        }
        return places
    }
}

extension StateTransaction {
    func takePlace(of page: RemotePage) throws {
        let present = state.cursor ?? LogCursor(startOf: page.after.epoch)
        guard present == page.after else {
            throw StoreError(
                .cursorMoved,
                "Can't apply a page after \(page.after) because the store's cursor is \(present). "
                    + "Pull again.",
                path: store.path)
        }
    }
}
