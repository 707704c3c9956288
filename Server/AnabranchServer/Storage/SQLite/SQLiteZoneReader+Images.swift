package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func imageSize(of record: RecordID, linkLimit: Int) throws -> ImageSize {
        guard let ordinal = try knownOrdinal(of: record.replica) else { return ImageSize() }
        func links(at end: String) -> String {
            """
            (SELECT count(*) AS count, coalesce(sum(tag), 0) AS tags,
                coalesce(sum(name), 0) AS names
                FROM (SELECT length(tags) AS tag,
                        (SELECT length(name) FROM property WHERE number = link.property) AS name
                    FROM link WHERE \(end) = ?1 LIMIT ?2))
            """
        }
        return try connection.cached(
            """
            SELECT (SELECT length(cells) + coalesce(length(seen), 0) FROM record WHERE key = ?1),
                outgoing.count + incoming.count, outgoing.tags + incoming.tags,
                outgoing.names + incoming.names
            FROM \(links(at: "left")) AS outgoing, \(links(at: "right")) AS incoming
            """, RecordKey(ordinal: ordinal, number: record.number).rawValue, Int64(linkLimit)
        ).first { $0.imageSize() } ?? ImageSize()
    }
}
