import AnabranchReplication

/// The changes of a transaction that are not sent to the database yet.
///
/// A later change of a row replaces an earlier one, so each row is sent once.
struct ZoneChanges {
    struct Entry {
        var entry: ZoneLogEntry
        var author: Int64
    }

    var entries: [Entry] = []
    var places: [Digest: ZoneLogLocation] = [:]
    var placesByDot: [Dot: ZoneLogLocation] = [:]
    var heads: [ReplicaID: ReplicaHead] = [:]
    /// The ordinals of new replicas.
    var ordinals: [ReplicaID: Int64] = [:]
    var entities: [(number: Int64, name: WireName)] = []
    var properties: [(number: Int64, property: WireProperty)] = []
    /// The new rows of records; `nil` for a record that was removed.
    var rows: [RecordKey: HeldRow?] = [:]
    /// The new tags of links; `nil` for a link that was removed.
    var tags: [LinkKey: [UInt8]?] = [:]
    var acknowledgements: [ReplicaID: Acknowledgement] = [:]
    /// About the number of bytes in entries, rows and tags.
    private var valueBytes = 0

    /// About the number of bytes in all of these.
    var byteCount: Int {
        let rowCount = entries.count + heads.count + ordinals.count + acknowledgements.count
        return valueBytes + Limits.longestName * (entities.count + properties.count)
            + HeldState.bytesPerEntry * (rowCount + rows.count + tags.count)
    }

    mutating func append(_ entry: ZoneLogEntry, author: Int64) {
        let changeSet = entry.changeSet
        let place = ZoneLogLocation(
            position: entry.cursor.position, kind: changeSet.kind, dot: changeSet.dot,
            timestamp: changeSet.timestamp, origin: changeSet.origin, digest: changeSet.digest)
        entries.append(Entry(entry: entry, author: author))
        places[changeSet.origin] = place
        placesByDot[changeSet.dot] = place
        valueBytes += entry.bytes.count
    }

    mutating func put(_ row: HeldRow) {
        rows[row.row.key] = .some(row)
        valueBytes += Int(row.row.countedBytes)
    }

    mutating func remove(_ key: RecordKey) {
        rows.updateValue(nil, forKey: key)
    }

    mutating func put(_ tags: [UInt8]?, on link: LinkKey) {
        self.tags.updateValue(tags, forKey: link)
        valueBytes += tags?.count ?? 0
    }

    /// Adds later changes.
    mutating func merge(_ later: ZoneChanges) {
        entries += later.entries
        places.merge(later.places) { $1 }
        placesByDot.merge(later.placesByDot) { $1 }
        heads.merge(later.heads) { $1 }
        ordinals.merge(later.ordinals) { $1 }
        entities += later.entities
        properties += later.properties
        rows.merge(later.rows) { $1 }
        tags.merge(later.tags) { $1 }
        acknowledgements.merge(later.acknowledgements) { $1 }
        valueBytes += later.valueBytes
    }
}

// The statements that send the changes, one or two for each table.
extension ZoneChanges {
    /// Returns the statements.
    ///
    /// - Parameters:
    ///   - zone: The zone's name.
    ///   - held: The database's rows, which tells inserts from updates. It has an entry for each
    ///     row and link that changed.
    func statements(for zone: String, over held: HeldState) -> [PostgreSQLStatement] {
        [
            newReplicas(zone), newHeads(zone), newEntities(zone), newProperties(zone),
            newEntries(zone), acknowledging(zone),
        ].flatMap { $0 } + rowStatements(zone, held) + linkStatements(zone, held)
    }

    private func newReplicas(_ zone: String) -> [PostgreSQLStatement] {
        guard !ordinals.isEmpty else { return [] }
        return [
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.replica(zone, ordinal, id, sequence)
                SELECT $1, ordinal, id, 0
                FROM unnest($2::bigint[], $3::bytea[]) AS new(ordinal, id)
                """, .text(zone), .integers(Array(ordinals.values)),
                .blobs(ordinals.keys.map(\.bytes)), changing: ordinals.count)
        ]
    }

    private func newHeads(_ zone: String) -> [PostgreSQLStatement] {
        guard !heads.isEmpty else { return [] }
        let heads = heads.sorted { $0.key < $1.key }
        return [
            PostgreSQLStatement(
                """
                UPDATE anabranch.replica AS r SET sequence = new.sequence, origin = new.origin
                FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS new(id, sequence, origin)
                WHERE r.zone = $1 AND r.id = new.id
                """, .text(zone), .blobs(heads.map(\.key.bytes)),
                .integers(heads.map { Int64(clamping: $0.value.sequence) }),
                .blobs(heads.map(\.value.origin.bytes)), changing: heads.count)
        ]
    }

    private func newEntities(_ zone: String) -> [PostgreSQLStatement] {
        entities.isEmpty ? [] : [Self.inserting(entities: entities, .text(zone))]
    }

    static func inserting(
        entities: [(number: Int64, name: WireName)], _ zone: PostgreSQLValue
    ) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            INSERT INTO anabranch.entity(zone, number, name)
            SELECT $1, number, name FROM unnest($2::bigint[], $3::bytea[]) AS new(number, name)
            """, zone, .integers(entities.map(\.number)),
            .blobs(entities.map { Array($0.name.string.utf8) }), changing: entities.count)
    }

    private func newProperties(_ zone: String) -> [PostgreSQLStatement] {
        properties.isEmpty ? [] : [Self.inserting(properties: properties, .text(zone))]
    }

    static func inserting(
        properties: [(number: Int64, property: WireProperty)], _ zone: PostgreSQLValue
    ) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            INSERT INTO anabranch.property(zone, number, name, type, rule)
            SELECT $1, number, name, type, rule
            FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[])
                AS new(number, name, type, rule)
            """, zone, .integers(properties.map(\.number)),
            .blobs(properties.map { Array($0.property.name.string.utf8) }),
            .integers(properties.map { Int64($0.property.type.rawValue) }),
            .integers(properties.map { Int64($0.property.rule.rawValue) }),
            changing: properties.count)
    }

    private func newEntries(_ zone: String) -> [PostgreSQLStatement] {
        guard !entries.isEmpty else { return [] }
        let rows = entries.map { each in
            let set = each.entry.changeSet
            let cursor = each.entry.cursor
            return LogRow(
                position: cursor.position, kind: set.kind, author: each.author,
                sequence: set.dot.sequence, timestamp: set.timestamp.rawValue,
                origin: set.origin, digest: set.digest,
                running: ReplicaID(high: cursor.digestHigh, low: cursor.digestLow),
                changeSet: each.entry.bytes)
        }
        return [Self.inserting(entries: rows, zone)]
    }

    static func inserting(entries rows: [LogRow], _ zone: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            INSERT INTO anabranch.log(zone, position, kind, replica, sequence, timestamp,
                origin, digest, running, change_set)
            SELECT $1, position, kind, replica, sequence, timestamp, origin, digest, running,
                change_set
            FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                $6::bigint[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[])
                AS new(position, kind, replica, sequence, timestamp, origin, digest, running,
                    change_set)
            """, .text(zone), .integers(rows.map { Int64(clamping: $0.position) }),
            .integers(rows.map { Int64($0.kind.rawValue) }), .integers(rows.map(\.author)),
            .integers(rows.map { Int64(clamping: $0.sequence) }),
            .integers(rows.map { Int64(clamping: $0.timestamp) }),
            .blobs(rows.map(\.origin.bytes)), .blobs(rows.map(\.digest.bytes)),
            .blobs(rows.map(\.running.bytes)), .blobs(rows.map(\.changeSet)),
            changing: rows.count)
    }

    /// Updates the positions that are there and inserts the others.
    private func acknowledging(_ zone: String) -> [PostgreSQLStatement] {
        guard !acknowledgements.isEmpty else { return [] }
        let parameters: [PostgreSQLValue] = [
            .text(zone), .blobs(acknowledgements.keys.map(\.bytes)),
            .integers(acknowledgements.values.map { Int64(clamping: $0.position) }),
            .integers(acknowledgements.values.map(\.seen)),
        ]
        let new = "unnest($2::bytea[], $3::bigint[], $4::bigint[]) AS new(replica, position, seen)"
        return [
            PostgreSQLStatement(
                """
                UPDATE anabranch.acknowledgement AS a
                SET position = new.position, seen = new.seen FROM \(new)
                WHERE a.zone = $1 AND a.replica = new.replica
                """, parameters),
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.acknowledgement(zone, replica, position, seen)
                SELECT $1, replica, position, seen FROM \(new)
                WHERE NOT EXISTS (SELECT 1 FROM anabranch.acknowledgement a
                    WHERE a.zone = $1 AND a.replica = new.replica)
                """, parameters),
        ]
    }

    // MARK: Rows and links

    private func rowStatements(_ zone: String, _ held: HeldState) -> [PostgreSQLStatement] {
        var inserted: [HeldRow] = []
        var updated: [HeldRow] = []
        var removed: [RecordKey] = []
        for (key, row) in rows {
            let isHeld = (held.records[key] ?? nil) != nil
            switch (row, isHeld) {
            case (let row?, false): inserted.append(row)
            case (let row?, true): updated.append(row)
            case (nil, true): removed.append(key)
            case (nil, false): break
            }
        }
        return Self.inserting(inserted, zone) + Self.updating(updated, zone)
            + Self.removing(removed, zone)
    }

    static func inserting(_ rows: [HeldRow], _ zone: String) -> [PostgreSQLStatement] {
        guard !rows.isEmpty else { return [] }
        return [
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.record(zone, key, entity, timestamp, author, cells, seen,
                    dead)
                SELECT $1, key, entity, timestamp, author, cells, seen, dead
                FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],
                    $7::bytea[], $8::bigint[])
                    AS new(key, entity, timestamp, author, cells, seen, dead)
                """, parameters(zone, rows), changing: rows.count)
        ]
    }

    private static func updating(_ rows: [HeldRow], _ zone: String) -> [PostgreSQLStatement] {
        guard !rows.isEmpty else { return [] }
        return [
            PostgreSQLStatement(
                """
                UPDATE anabranch.record AS r
                SET entity = new.entity, timestamp = new.timestamp, author = new.author,
                    cells = new.cells, seen = new.seen, dead = new.dead
                FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],
                    $7::bytea[], $8::bigint[])
                    AS new(key, entity, timestamp, author, cells, seen, dead)
                WHERE r.zone = $1 AND r.key = new.key
                """, parameters(zone, rows), changing: rows.count)
        ]
    }

    private static func parameters(_ zone: String, _ rows: [HeldRow]) -> [PostgreSQLValue] {
        [
            .text(zone), .integers(rows.map(\.row.key.rawValue)),
            .integers(rows.map(\.row.entity)),
            .integers(rows.map { Int64(clamping: $0.row.timestamp) }),
            .integers(rows.map(\.row.author)), .blobs(rows.map(\.row.cells)),
            .blobs(rows.map(\.row.seen)), .integers(rows.map(\.dead)),
        ]
    }

    private static func removing(_ keys: [RecordKey], _ zone: String) -> [PostgreSQLStatement] {
        guard !keys.isEmpty else { return [] }
        return [
            PostgreSQLStatement(
                "DELETE FROM anabranch.record WHERE zone = $1 AND key = ANY($2)", .text(zone),
                .integers(keys.map(\.rawValue)), changing: keys.count)
        ]
    }

    private func linkStatements(_ zone: String, _ held: HeldState) -> [PostgreSQLStatement] {
        var inserted: [(link: LinkKey, tags: [UInt8])] = []
        var updated: [(link: LinkKey, tags: [UInt8])] = []
        var removed: [LinkKey] = []
        for (key, tags) in tags {
            let isHeld = (held.tags[key] ?? nil) != nil
            switch (tags, isHeld) {
            case (let tags?, false): inserted.append((key, tags))
            case (let tags?, true): updated.append((key, tags))
            case (nil, true): removed.append(key)
            case (nil, false): break
            }
        }
        return (inserted.isEmpty ? [] : [Self.inserting(links: inserted, zone)])
            + (updated.isEmpty ? [] : [Self.updating(links: updated, zone)])
            + (removed.isEmpty ? [] : [Self.removing(links: removed, zone)])
    }

    private static let linkKeys = "unnest($2::bigint[], $3::bigint[], $4::bigint[]"
    private static let linkColumns = "left_key, property, right_key"
    private static let isSameLink = """
        l.zone = $1 AND l.left_key = k.left_key AND l.property = k.property \
        AND l.right_key = k.right_key
        """

    static func inserting(
        links: [(link: LinkKey, tags: [UInt8])], _ zone: String
    ) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            INSERT INTO anabranch.link(zone, \(linkColumns), tags)
            SELECT $1, \(linkColumns), tags
            FROM \(linkKeys), $5::bytea[]) AS k(\(linkColumns), tags)
            """, parameters(zone, links.map(\.link)) + [.blobs(links.map(\.tags))],
            changing: links.count)
    }

    private static func updating(
        links: [(link: LinkKey, tags: [UInt8])], _ zone: String
    ) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            UPDATE anabranch.link AS l SET tags = k.tags
            FROM \(linkKeys), $5::bytea[]) AS k(\(linkColumns), tags) WHERE \(isSameLink)
            """, parameters(zone, links.map(\.link)) + [.blobs(links.map(\.tags))],
            changing: links.count)
    }

    private static func removing(links: [LinkKey], _ zone: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            DELETE FROM anabranch.link AS l USING \(linkKeys)) AS k(\(linkColumns))
            WHERE \(isSameLink)
            """, parameters(zone, links), changing: links.count)
    }

    private static func parameters(_ zone: String, _ keys: [LinkKey]) -> [PostgreSQLValue] {
        [
            .text(zone), .integers(keys.map(\.left.rawValue)), .integers(keys.map(\.property)),
            .integers(keys.map(\.right.rawValue)),
        ]
    }
}
