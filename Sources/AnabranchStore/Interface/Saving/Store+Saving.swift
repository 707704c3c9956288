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
            return SaveResult(
                dot: nil, version: .none, renamed: [:])
        }
        return try write { transaction in
            if pendingStage != nil { try transaction.completePendingStage() }
            try transaction.renewIdentityIfNeeded()
            var save = try SaveOperation(transaction)
            return try save.run(request)
        }
    }

    /// Saves new records in one transaction and as one change set, from a request in pieces.
    ///
    /// Only one piece is in memory at a time. A piece contains inserts, added links, and lists that
    /// are the ends of new records' lists; links follow the records that they connect. Nothing else
    /// in a piece is saved.
    ///
    /// - Parameter pieces: Returns the next piece; `nil` after the last.
    /// - Throws: ``StoreError`` or the error of `pieces`; nothing was written.
    package func save(
        author: String, name: String, pieces: () throws -> SaveRequest?
    ) throws -> SaveResult {
        try write { transaction in
            try transaction.renewIdentityIfNeeded()
            var save = try SaveOperation(transaction)
            return try save.run(author: author, name: name, pieces: pieces)
        }
    }
}
