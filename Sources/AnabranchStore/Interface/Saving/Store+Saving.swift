import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Saves everything that a context has changed, in one transaction and as one change set.
    ///
    /// After the call either all of it is stored, the rows, log entry, sequence number and clock,
    /// or nothing.
    ///
    /// - Throws: ``StoreError``; nothing was written. `mergeConflict` names every record that was
    ///   changed or deleted since the request's versions were read: refresh them, then save again.
    ///   `constraintConflict` names the records that hold one unique key.
    package func save(_ request: SaveRequest) throws -> SaveResult {
        guard !request.isEmpty else {
            return SaveResult(dot: nil, version: .none, renamed: [:])
        }
        // A closure with a copy of its own would copy the request with each call on the way.
        var request = request
        let result = try write { transaction in
            if pendingStage != nil { try transaction.completePendingStage() }
            try transaction.renewIdentityIfNeeded()
            var save = try SaveOperation(transaction)
            var result = try save.run(&request)
            if !save.unseenValues.isEmpty { result.conflicts = try transaction.writeConflicts() }
            return result
        }
        saveListeners.tell()
        return result
    }

    /// Saves new records in one transaction, as one change set for each request.
    ///
    /// The positions of list members that the first request assigns are valid for the later ones
    /// too, so a list can be given as a whole before its members are saved.
    ///
    /// - Parameter next: Returns the next request; `nil` after the last.
    /// - Throws: ``StoreError``, or the error of `next` or of a request; nothing was written.
    package func save(_ next: () throws -> SaveInPieces?) throws {
        try write { transaction in
            try transaction.renewIdentityIfNeeded()
            var lists: SavedListPositions?
            while let request = try next() {
                var save = try SaveOperation(
                    transaction, wallMilliseconds: request.wallMilliseconds)
                if let known = lists.take() { save.lists = known }
                try save.run(request)
                lists = save.lists
            }
        }
        saveListeners.tell()
    }
}
