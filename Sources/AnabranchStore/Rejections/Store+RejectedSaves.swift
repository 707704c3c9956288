import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// What zones have rejected for good, the newest first.
    package func rejectedSaves() throws -> [RejectedSave] {
        try read { try RejectedSaves(connection: $0.connection).saves(parts: StoredParts(self)) }
    }

    /// - Returns: `nil` where there is none of that number.
    package func rejectedSave(_ id: RejectedSave.ID) throws -> RejectedSave? {
        try read {
            try RejectedSaves(connection: $0.connection).saves(id, parts: StoredParts(self))
        }.first
    }

    package func rejectedSaveCount() throws -> Int {
        try read { try RejectedSaves(connection: $0.connection).count() }
    }

    /// Forgets rejected saves for good.
    ///
    /// - Returns: How many there were.
    package func discardRejectedSaves(_ ids: [RejectedSave.ID]) throws -> Int {
        try write { transaction in
            let count = try RejectedSaves(connection: transaction.connection).remove(ids)
            try PartTable(transaction.connection).removeUnused()
            return count
        }
    }
}
