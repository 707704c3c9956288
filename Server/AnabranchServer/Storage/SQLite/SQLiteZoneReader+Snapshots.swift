package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func forEachHead(_ body: (SnapshotChunk.Head) throws -> Void) throws {
        let rows = try connection.cached(
            "SELECT id, sequence, origin FROM replica WHERE sequence > 0 ORDER BY id")
        while try rows.step() {
            try body(
                SnapshotChunk.Head(
                    dot: Dot(
                        replica: try rows.replica(at: 0), sequence: try rows.unsigned(at: 1)),
                    origin: try rows.digest(at: 2)))
        }
    }

    package func deadRecords(
        through position: UInt64, limit: Int
    ) throws -> [(WireName, RecordID)] {
        try connection.cached(
            """
            SELECT key, entity FROM record WHERE dead AND dead <= ? ORDER BY dead, key LIMIT ?
            """, Int64(clamping: position), Int64(limit)
        ).map {
            (
                try entityName($0.int64(at: 1)),
                try id(of: RecordKey(rawValue: $0.int64(at: 0)))
            )
        }
    }
}
