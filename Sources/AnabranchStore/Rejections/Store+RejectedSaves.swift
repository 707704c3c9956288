import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// What zones have rejected for good, the newest first.
    package func rejectedSaves() throws -> [RejectedSave] {
        try read { try RejectedSaves(connection: $0.connection).saves() }
    }

    /// - Returns: `nil` where there is none of that number.
    package func rejectedSave(_ id: RejectedSave.ID) throws -> RejectedSave? {
        try read { try RejectedSaves(connection: $0.connection).saves(id) }.first
    }

    package func rejectedSaveCount() throws -> Int {
        try read { try RejectedSaves(connection: $0.connection).count() }
    }

    /// Forgets rejected saves for good.
    ///
    /// - Returns: How many there were.
    package func discardRejectedSaves(_ ids: [RejectedSave.ID]) throws -> Int {
        try write { try RejectedSaves(connection: $0.connection).remove(ids) }
    }
}
