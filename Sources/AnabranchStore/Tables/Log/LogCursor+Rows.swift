import AnabranchReplication
import AnabranchSQLite

extension LogCursor {
    /// The cursor after one more entry.
    ///
    /// - Parameters:
    ///   - row: The columns kind, replica, sequence, local position, origin and zone position.
    ///   - log: The log with that row.
    /// - Returns: `nil` if the row is not that of the next position.
    func advanced(
        over row: Statement, of log: ChangeLog, in path: String
    ) throws -> LogCursor? {
        guard UInt64(bitPattern: row.int64(at: 5)) == position + 1 else { return nil }
        guard let replica = ReplicaID(bytes: row.bytes(at: 1)),
            let digest = try log.digest(at: row.int64(at: 3)),
            let origin = Digest(bytes: row.bytes(at: 4))
        else {
            throw StoreError(
                .corrupt,
                "Can't read entry \(position + 1) of the zone's log because it is damaged.",
                path: path)
        }
        return advanced(
            kind: LogEntryKind(rawValue: UInt8(truncatingIfNeeded: row.int64(at: 0))),
            dot: Dot(replica: replica, sequence: try row.sequence(at: 2)),
            digest: digest, origin: origin)
    }
}
