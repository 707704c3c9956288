package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func image(of record: RecordID) throws -> RecordImage {
        var image = RecordImage(id: record)
        guard let ordinal = try knownOrdinal(of: record.replica) else { return image }
        let key = RecordKey(ordinal: ordinal, number: record.number)
        let stored = try connection.cached(
            """
            SELECT key, entity, timestamp, author, cells, seen, dead FROM record WHERE key = ?
            """, key.rawValue
        ).first { try $0.stateRow() }
        guard let stored else { return image }
        image.record = try self.record(stored)
        image.record?.links = try links(of: key)
        image.incoming = try incoming(of: key)
        return image
    }

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

    private func incoming(of right: RecordKey) throws -> [RecordImage.IncomingLink] {
        try connection.cached(
            "SELECT left, property, tags FROM link WHERE right = ? ORDER BY left, property",
            right.rawValue
        ).map {
            let property = try property(at: $0.int64(at: 1))
            return RecordImage.IncomingLink(
                left: try id(of: RecordKey(rawValue: $0.int64(at: 0))), property: property,
                tags: try StoredTags.tags(
                    decoding: $0.bytes(at: 2), of: property, replica: replica(at:)))
        }
    }
}
