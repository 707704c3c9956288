package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    private static let placeColumns =
        "position, replica, sequence, timestamp, origin, digest, kind"

    package func byteCount(ofChangeSetAt position: UInt64) throws -> Int {
        try connection.cached(
            "SELECT length(change_set) FROM log WHERE position = ?", Int64(clamping: position)
        ).first { Int($0.int64(at: 0)) } ?? 0
    }

    package func logByteCount() throws -> Int64 {
        try amount("SELECT coalesce(sum(length(change_set)), 0) FROM log")
            + amount(
                "SELECT coalesce(sum(size), 0) FROM (SELECT DISTINCT digest, size FROM log_part)")
    }

    /// The amount in the first column of a statement's only row.
    ///
    /// - Throws: ``StorageError`` `damaged` if stored numbers make it larger than an amount is.
    func amount(_ sql: String) throws -> Int64 {
        try connection.cached(sql).first { try $0.amount(at: 0) } ?? 0
    }

    package func place(ofOrigin origin: Digest) throws -> ZoneLogLocation? {
        let row = try connection.cached(
            "SELECT \(Self.placeColumns) FROM log WHERE origin = ?", origin.bytes)
        return try place(row)
    }

    package func place(of dot: Dot) throws -> ZoneLogLocation? {
        guard let ordinal = try knownOrdinal(of: dot.replica) else { return nil }
        let row = try connection.cached(
            "SELECT \(Self.placeColumns) FROM log WHERE replica = ? AND sequence = ?", ordinal,
            Int64(clamping: dot.sequence))
        return try place(row)
    }

    private func place(_ row: Statement) throws -> ZoneLogLocation? {
        try row.step() ? try row.place(replica: replica(at:)) : nil
    }
}
