import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The saves that zones have rejected permanently, newest first.
    package func rejectedSaves() throws -> [RejectedSave] {
        try read { try RejectedSaves(connection: $0.connection).saves(parts: StoredParts(self)) }
    }

    /// Returns the rejected save with the given number.
    ///
    /// - Returns: `nil` if this file has no such save.
    package func rejectedSave(_ id: RejectedSave.ID) throws -> RejectedSave? {
        try read {
            try RejectedSaves(connection: $0.connection).saves(id, parts: StoredParts(self))
        }.first
    }

    package func rejectedSaveCount() throws -> Int {
        try read { try RejectedSaves(connection: $0.connection).count() }
    }

    /// Removes rejected saves permanently.
    ///
    /// - Returns: The number of removed saves.
    package func discardRejectedSaves(_ ids: [RejectedSave.ID]) throws -> Int {
        try write { transaction in
            let count = try RejectedSaves(connection: transaction.connection).remove(ids)
            try PartTable(transaction.connection).removeUnused()
            return count
        }
    }
}
