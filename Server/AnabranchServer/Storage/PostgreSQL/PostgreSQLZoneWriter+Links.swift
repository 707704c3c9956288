import AnabranchReplication

extension PostgreSQLZoneWriter {
    private static let linkColumns = "left_key, property, right_key, tags"

    /// The greatest number of links that one statement reads, and the bytes of their tags.
    private static let linksTogether = 10_000
    private static let tagBytesTogether = 4 << 20

    private func unsentTags(_ link: LinkKey) -> [UInt8]?? { unsent { $0.tags[link] } }

    /// The tags of a link; `nil` in the outer optional if they were not read.
    private func known(_ link: LinkKey) -> [UInt8]?? { unsentTags(link) ?? held.tags[link] }

    func tags(
        of links: [LinkKey], byteLimit: Int
    ) throws -> (tags: [LinkKey: [UInt8]], keyCount: Int) {
        try makeRoom()
        try load(links, byteLimit: byteLimit)
        var found: [LinkKey: [UInt8]] = [:]
        var byteCount = 0
        let links = links.prefix { link in
            guard let tags = known(link) else { return false }
            guard byteCount == 0 || byteCount + (tags?.count ?? 0) <= byteLimit else {
                return false
            }
            byteCount += tags?.count ?? 0
            found[link] = tags
            return true
        }
        return (found, links.count)
    }

    /// Reads the tags of links that the transaction does not know yet.
    ///
    /// - Parameter byteLimit: The greatest number of bytes of the tags of the first links, unless
    ///   the first one has more. The tags of the others are not read.
    private func load(_ links: some Sequence<LinkKey>, byteLimit: Int) throws {
        var found: Set<LinkKey> = []
        let unknown = links.filter { known($0) == nil && found.insert($0).inserted }
        guard !unknown.isEmpty else { return }
        let rows = try session.run(
            PostgreSQLStatement(
                """
                SELECT left_key, property, right_key,
                    CASE WHEN total <= $6 OR total = size THEN tags END
                FROM (SELECT l.left_key, l.property, l.right_key, tags,
                    octet_length(tags) AS size,
                    sum(octet_length(tags)) OVER (ORDER BY place) AS total
                    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                        AS k(left_key, property, right_key, place)
                    JOIN anabranch.link AS l
                        ON l.left_key = k.left_key AND l.property = k.property
                        AND l.right_key = k.right_key
                    WHERE l.zone = $1) AS sized
                """, .text(zone), .integers(unknown.map(\.left.rawValue)),
                .integers(unknown.map(\.property)), .integers(unknown.map(\.right.rawValue)),
                .integers(unknown.indices.map { Int64($0) }), .integer(Int64(byteLimit))))
        var tooLarge: Set<LinkKey> = []
        for row in rows {
            if row.isNull(at: 3) {
                tooLarge.insert(row.linkKey())
            } else {
                held.take(row.bytes(at: 3), of: row.linkKey())
            }
        }
        for link in unknown where held.tags[link] == nil && !tooLarge.contains(link) {
            held.take(nil, of: link)
        }
    }

    func put(_ tags: [LinkKey: [UInt8]?]) throws {
        try makeRoom()
        try load(tags.keys, byteLimit: .max)
        for (link, tags) in tags {
            row.count(bytes: Int64(tags?.count ?? 0) - Int64((known(link) ?? nil)?.count ?? 0))
            change { $0.put(tags, on: link) }
        }
    }

    /// Removes all links from or to records.
    ///
    /// - Parameter body: Receives each link with its tags.
    func removeLinks(
        at keys: [RecordKey], _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        let ends = PostgreSQLValue.integers(keys.map(\.rawValue))
        let links = """
            SELECT \(Self.linkColumns) FROM anabranch.link WHERE zone = $1 AND left_key = ANY($2)
            UNION ALL
            SELECT \(Self.linkColumns) FROM anabranch.link
            WHERE zone = $1 AND right_key = ANY($2) AND NOT left_key = ANY($2)
            """
        let rows = try query(
            """
            SELECT left_key, property, right_key, CASE WHEN total <= $4 THEN tags END
            FROM (SELECT \(Self.linkColumns), sum(octet_length(tags))
                OVER (ORDER BY left_key, property, right_key) AS total
                FROM (\(links) LIMIT $3) AS page) AS sized
            """, ends, .integer(Int64(Self.linksTogether)),
            .integer(Int64(Self.tagBytesTogether)))
        guard rows.count < Self.linksTogether, rows.allSatisfy({ !$0.isNull(at: 3) }) else {
            return try removeManyLinks(links, ends, body)
        }
        for row in rows {
            held.take(row.bytes(at: 3), of: row.linkKey())
            change { $0.put(nil, on: row.linkKey()) }
            try remove(row, body)
        }
    }

    private func remove(
        _ link: PostgreSQLRows.Row, _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        let tags = link.bytes(at: 3)
        row.count(bytes: -Int64(tags.count))
        try body(link.linkKey(), tags)
    }

    /// Removes links of which there are too many to be read at once.
    ///
    /// A cursor sees the links as they were when it was opened, and finds each once.
    private func removeManyLinks(
        _ links: String, _ ends: PostgreSQLValue, _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        _ = try query("DECLARE removed_links CURSOR FOR \(links)", ends)
        while true {
            let rows = try session.run(PostgreSQLStatement("FETCH 100 FROM removed_links"))
            for row in rows { try remove(row, body) }
            guard rows.count > 0 else { break }
        }
        _ = try session.run(
            [PostgreSQLStatement("CLOSE removed_links")]
                + ["left_key", "right_key"].map { end in
                    PostgreSQLStatement(
                        "DELETE FROM anabranch.link WHERE zone = $1 AND \(end) = ANY($2)",
                        .text(zone), ends)
                })
        forgetHeld()
    }
}
