package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    private static let placeColumns =
        "position, replica, sequence, timestamp, origin, digest, kind"

    package func byteCount(ofChangeSetAt position: UInt64) throws -> Int {
        let row = try connection.cached(
            "SELECT length(change_set) FROM log WHERE position = ?")
        try row.bind(Int64(clamping: position), at: 1)
        guard try row.step() else { return 0 }
        defer { row.reset() }
        return Int(row.int64(at: 0))
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
        let row = try connection.cached(sql)
        guard try row.step() else { return 0 }
        defer { row.reset() }
        return try row.amount(at: 0)
    }

    package func place(ofOrigin origin: Digest) throws -> ZoneLogLocation? {
        let row = try connection.cached(
            "SELECT \(Self.placeColumns) FROM log WHERE origin = ?")
        try row.bind(origin.bytes, at: 1)
        return try place(row)
    }

    package func place(of dot: Dot) throws -> ZoneLogLocation? {
        guard let ordinal = try knownOrdinal(of: dot.replica) else { return nil }
        let row = try connection.cached(
            "SELECT \(Self.placeColumns) FROM log WHERE replica = ? AND sequence = ?")
        try row.bind(ordinal, at: 1)
        try row.bind(Int64(clamping: dot.sequence), at: 2)
        return try place(row)
    }

    private func place(_ row: Statement) throws -> ZoneLogLocation? {
        try row.step() ? try row.place(replica: replica(at:)) : nil
    }
}
