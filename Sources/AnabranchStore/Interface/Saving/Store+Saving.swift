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
            try transaction.renewIdentityIfNeeded()
            var save = try SaveOperation(transaction)
            return try save.run(request)
        }
    }
}
