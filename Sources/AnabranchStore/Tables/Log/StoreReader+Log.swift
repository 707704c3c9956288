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
