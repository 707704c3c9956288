package import AnabranchReplication
import AnabranchSQLite

extension StoreReader {
    /// The position of the last save that this file holds; zero if there is none.
    package func logPosition() throws -> Int64 {
        let last = try UnsyncedSaves(connection: connection, schema: schema).lastPosition()
        guard
            case .integer(let position)? = try connection.firstValue(
                "SELECT max(position) FROM ab_changeset")
        else { return last }
        return max(position, last)
    }

    /// The last position that the log has given, which the state of the file that is read includes.
    package func lastPosition() throws -> RowVersion {
        let log = ChangeLog(connection: connection, replicas: ReplicaTable())
        return RowVersion(try log.lastPosition())
    }

    /// The position up to which saves may have been removed from the history; zero if none was.
    package func trimmedPosition() throws -> Int64 {
        try TrimmedLog(connection: connection).lastPosition()
    }

    /// Checks that the history has all saves after a position. The position before all saves means
    /// those that are left.
    ///
    /// - Throws: ``StoreError`` `historyExpired`.
    package func checkHistory(after position: Int64, path: String) throws {
        let trimmed = try trimmedPosition()
        guard position > 0, position < trimmed else { return }
        throw StoreError(
            .historyExpired,
            "Can't tell the history of \(path) after position \(position) because saves up to "
                + "position \(trimmed) were removed from it. Read the objects anew, and follow the "
                + "history from its present position.", path: path)
    }

    /// The change sets after a local position, oldest first.
    package func changeSets(after position: Int64, limit: Int) throws -> [StoredLogEntry] {
        try ChangeLog(connection: connection, replicas: try replicas())
            .entries(after: position, limit: limit)
    }

    /// The log's entry of a change set.
    ///
    /// - Returns: `nil` if the log does not hold the change set.
    package func changeSet(_ dot: Dot) throws -> StoredLogEntry? {
        try ChangeLog(connection: connection, replicas: try replicas()).entry(named: dot)
    }
}
