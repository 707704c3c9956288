import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Applies change sets from a zone's log in one transaction, with the cursor behind them.
    ///
    /// A set that this file already holds, told by its origin alone, is not applied again, so a
    /// retry after a lost reply is harmless (invariant 3). No object is made. Sets of bundles that
    /// have waited for those of the page are applied behind it.
    ///
    /// What is lost in the merge goes to the conflict journal, and what the journal's retention
    /// does not keep is removed from it.
    ///
    /// - Returns: The records whose stored values changed, for contexts to refresh, and the
    ///   conflicts that were recorded.
    /// - Throws: ``StoreError``; nothing was applied. `cursorMoved`: the file has gone on since
    ///   the page was asked for; ask again. `digestMismatch`: the page is not what its cursor
    ///   says. `sequenceGap`, `forked`: a set does not continue what is held of its replica.
    ///   `malformedChangeSet`: report its sender.
    package func apply(_ page: RemotePage) throws -> ChangedRecords {
        try write { transaction in
            try transaction.takePlace(of: page)
            let places = try places(of: page)
            var operation = ApplyOperation(transaction)
            for (changeSet, place) in zip(page.changeSets, places) {
                try operation.apply(changeSet, at: place)
            }
            try operation.releaseWaiting()
            transaction.state.cursor = page.cursor
            if page.changeSets.contains(where: { $0.kind == .saveInParts }) {
                // Of forms that others have taken the place of.
                try PartTable(transaction.connection).removeUnused()
            }
            var changed = try transaction.collected(operation.changes)
            changed.conflicts = try transaction.settleConflicts()
            changed.rejections = transaction.rejections
            return changed
        }
    }
}

extension Store {
    /// Where the zone's log has the sets of a page.
    ///
    /// Looked at first: a page that is not what its cursor says would be taken for a log that
    /// contradicts itself.
    private func places(of page: RemotePage) throws -> [CausalContext.Prefix] {
        // The log may be in a later epoch now: the same place under another name.
        var cursor = LogCursor(
            epoch: page.cursor.epoch, position: page.after.position,
            digestHigh: page.after.digestHigh, digestLow: page.after.digestLow)
        let places = page.changeSets.map { changeSet in
            cursor = cursor.advanced(over: changeSet)
            return CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position)
        }
        guard cursor == page.cursor || environment.disabled.contains(.cursorDigest) else {
            throw StoreError(
                .digestMismatch,
                "Can't apply \(page.changeSets.count) change sets because they do not lead to the "
                    + "cursor that came with them.", path: path)
        }
        return places
    }
}

extension WriteTransaction {
    func takePlace(of page: RemotePage) throws {
        let present = state.cursor ?? LogCursor(startOf: page.after.epoch)
        guard present == page.after else {
            throw StoreError(
                .cursorMoved,
                "Can't apply a page behind \(page.after) because the store is at \(present).",
                path: store.path)
        }
    }
}
