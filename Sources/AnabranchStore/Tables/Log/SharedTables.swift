import AnabranchReplication
import AnabranchSQLite

/// The table `ab_payload_tables` on one connection: the beginnings that payloads in the log share.
///
/// The tables of a small save take as many bytes as its values. Saves of one kind have the same
/// tables, so the log has them once. Rows stay, and there is a greatest number of them.
struct SharedTables {
    let connection: Connection
    /// The knowledge of the write transaction; `nil` outside one.
    let known: KnownLog?

    /// Longer payloads and tables are kept as they are, because they would win little.
    private static let longestPayload = 4096
    private static let longestTables = 512
    private static let greatestCount = 4096

    /// The number of the row with the first bytes of a change set's payload, and how many these
    /// are.
    ///
    /// - Returns: `nil` if the payload is to be kept whole. A list of parts is: it has no tables.
    func beginning(of set: ChangeSet) throws -> (number: Int64, byteCount: Int)? {
        guard set.kind == .save, set.payload.count <= Self.longestPayload else { return nil }
        if let known = known?.tables(of: set.payload) { return known }
        guard let count = ChangePayload.byteCountOfTables(in: set.payload),
            count <= Self.longestTables
        else { return nil }
        let bytes = Array(set.payload[..<count])
        guard let number = try number(of: bytes) ?? add(bytes) else { return nil }
        known?.add(number, ofTables: bytes)
        return (number, count)
    }

    private func number(of bytes: [UInt8]) throws -> Int64? {
        try connection.cached("SELECT id FROM ab_payload_tables WHERE bytes = ?", bytes).first {
            $0.int64(at: 0)
        }
    }

    private func add(_ bytes: [UInt8]) throws -> Int64? {
        try connection.run(
            """
            INSERT INTO ab_payload_tables (bytes)
            SELECT ? WHERE coalesce((SELECT max(id) FROM ab_payload_tables), 0)
                < \(Self.greatestCount)
            """, .blob(bytes))
        return try number(of: bytes)
    }
}
