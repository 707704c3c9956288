import AnabranchReplication

/// Writes a zone within its one write transaction.
///
/// Changes are collected in memory and sent in one group with the commit, so that a transaction
/// costs few round trips, whatever it changes. They are sent earlier if they take much memory, or
/// if a statement has to see them.
final class PostgreSQLZoneWriter: PostgreSQLZoneReader, ZoneWriting {
    private let greatestOrdinal: Int64
    /// The zone's row in the database.
    private let sentRow: ZoneRow
    /// Replicas of this ordinal and above have no rows in the database, except those in `held`.
    private var firstNewOrdinal: Int64
    private var held: HeldState
    /// Changes that were made outside of `atomically`, or before it.
    private var changes = ZoneChanges()
    /// Changes that were made within `atomically`, which may be undone.
    private var atomicChanges = ZoneChanges()
    private var isAtomic = false
    /// True if the changes before the present call of `atomically` were sent, and a savepoint
    /// after them.
    private var hasSavepoint = false
    /// Statements that are sent before any other.
    private var waiting: [PostgreSQLStatement] = []

    /// The size of unsent changes above which they are sent.
    private static let maximumUnsent = 8 << 20

    /// Creates the writer of a zone whose row is locked.
    ///
    /// - Parameters:
    ///   - sentRow: The row as it was read with the lock.
    ///   - row: The row as it will be, if nothing else changes.
    ///   - held: Rows that were read with the lock.
    init(
        _ session: PostgreSQLSession, zone: String, sentRow: ZoneRow, row: ZoneRow,
        held: HeldState, names: ZoneNameCache, greatestOrdinal: Int64
    ) {
        self.greatestOrdinal = greatestOrdinal
        self.sentRow = sentRow
        self.held = held
        firstNewOrdinal = sentRow.replicas
        super.init(session, zone: zone, row: row, names: names)
    }

    override func query(_ sql: String, _ parameters: PostgreSQLValue...) throws -> PostgreSQLRows {
        try send()
        return try lookUp(sql, parameters)
    }

    // MARK: Changes

    /// Looks for a value in the unsent changes, the newest first.
    private func unsent<Value>(_ find: (ZoneChanges) -> Value?) -> Value? {
        find(atomicChanges) ?? find(changes)
    }

    private func change(_ body: (inout ZoneChanges) -> Void) throws {
        if isAtomic { body(&atomicChanges) } else { body(&changes) }
        guard changes.byteCount + atomicChanges.byteCount > Self.maximumUnsent else { return }
        try send()
        forgetHeld()
    }

    private func forgetHeld() {
        held = HeldState()
        firstNewOrdinal = row.replicas
    }

    func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        precondition(!isAtomic, "an atomic part has no atomic parts")
        let before = row
        isAtomic = true
        defer {
            atomicChanges = ZoneChanges()
            isAtomic = false
            hasSavepoint = false
        }
        do {
            let result = try body()
            changes.merge(atomicChanges)
            if hasSavepoint { waiting.append(PostgreSQLStatement("RELEASE SAVEPOINT part")) }
            return result
        } catch {
            row = before
            names.forget()
            if hasSavepoint {
                forgetHeld()
                _ = try session.run([
                    PostgreSQLStatement("ROLLBACK TO SAVEPOINT part"),
                    PostgreSQLStatement("RELEASE SAVEPOINT part"),
                ])
            }
            throw error
        }
    }

    /// Sends the changes that were not sent, so that statements see them.
    private func send() throws {
        var statements = waiting + takeStatements(of: &changes)
        waiting = []
        if isAtomic {
            if !hasSavepoint { statements.append(PostgreSQLStatement("SAVEPOINT part")) }
            hasSavepoint = true
            statements += takeStatements(of: &atomicChanges)
        }
        if !statements.isEmpty { _ = try session.run(statements) }
    }

    /// The statements that are sent together with the commit.
    func lastStatements() -> [PostgreSQLStatement] {
        var statements = waiting + takeStatements(of: &changes)
        waiting = []
        if row != sentRow { statements.append(row.updating(zone)) }
        return statements
    }

    /// Returns the statements that send changes, and counts the changes as held.
    private func takeStatements(of changes: inout ZoneChanges) -> [PostgreSQLStatement] {
        let statements = changes.statements(for: zone, over: held)
        held.take(changes)
        changes = ZoneChanges()
        return statements
    }

    // MARK: The log

    override func place(ofOrigin origin: Digest) throws -> ZoneLogLocation? {
        if let place = unsent({ $0.places[origin] }) { return place }
        if let known = held.places[origin] { return known }
        let place = try super.place(ofOrigin: origin)
        held.places.updateValue(place, forKey: origin)
        return place
    }

    override func place(of dot: Dot) throws -> ZoneLogLocation? {
        if let place = unsent({ $0.placesByDot[dot] }) { return place }
        if let known = held.placesByDot[dot] { return known }
        let place = try super.place(of: dot)
        held.placesByDot.updateValue(place, forKey: dot)
        return place
    }

    override func head(of replica: ReplicaID) throws -> ReplicaHead? {
        if let head = unsent({ $0.heads[replica] }) { return head }
        if let known = held.heads[replica] { return known }
        let head = try super.head(of: replica)
        held.heads.updateValue(head, forKey: replica)
        return head
    }

    func append(_ entry: ZoneLogEntry) throws {
        let changeSet = entry.changeSet
        let author = try ordinal(of: changeSet.dot.replica)
        let last = try head(of: changeSet.dot.replica)?.sequence ?? 0
        row.position = entry.cursor.position
        row.running = ReplicaID(high: entry.cursor.digestHigh, low: entry.cursor.digestLow)
        row.greatestTimestamp = max(row.greatestTimestamp, changeSet.timestamp.rawValue)
        try change {
            $0.append(entry, author: author)
            guard changeSet.dot.sequence > last else { return }
            $0.heads[changeSet.dot.replica] = ReplicaHead(
                sequence: changeSet.dot.sequence, origin: changeSet.origin)
        }
    }

    func forgetChangeSets(through position: UInt64) throws {
        let last = PostgreSQLValue.integer(Int64(clamping: position))
        _ = try query(
            """
            UPDATE anabranch.log SET change_set = ''
            WHERE zone = $1 AND position > $2 AND position <= $3 AND kind IN ($4, $5)
            """, .integer(Int64(clamping: row.startPosition)), last,
            .integer(Int64(LogEntryKind.save.rawValue)),
            .integer(Int64(LogEntryKind.saveInParts.rawValue)))
        let parts = try query(
            "DELETE FROM anabranch.log_part WHERE zone = $1 AND position <= $2", last)
        if parts.changes > 0 { try removeUnusedParts() }
        row.startPosition = max(row.startPosition, position)
    }

    func acknowledge(_ positions: [ReplicaID: UInt64]) throws {
        try change { $0.acknowledgements.merge(positions) { $1 } }
    }

    func setChecksum(_ checksum: StateChecksum) throws { row.checksum = checksum }

    // MARK: Numbers and names

    override func knownOrdinal(of replica: ReplicaID) throws -> Int64? {
        if let ordinal = names.ordinals[replica] { return ordinal }
        if held.absentReplicas.contains(replica), unsent({ $0.ordinals[replica] }) == nil {
            return nil
        }
        return try super.knownOrdinal(of: replica)
    }

    func ordinal(of replica: ReplicaID) throws -> Int64 {
        if let ordinal = try knownOrdinal(of: replica) { return ordinal }
        let ordinal = row.replicas
        guard ordinal <= greatestOrdinal else {
            throw StorageError(
                .tooManyReplicas,
                "Can't accept a change of replica \(replica) because the zone has "
                    + "\(ordinal) replicas already.")
        }
        row.replicas += 1
        names.insert(replica, ordinal: ordinal)
        try change { $0.ordinals[replica] = ordinal }
        return ordinal
    }

    func number(ofEntity name: WireName) throws -> Int64 {
        if let number = names.entities[name] { return number }
        let bytes = PostgreSQLValue.bytes(Array(name.string.utf8))
        let found = try query(
            "SELECT number FROM anabranch.entity WHERE zone = $1 AND name = $2", bytes
        ).first?.integer(at: 0)
        let number = found ?? row.entities
        names.insert(name, entity: number)
        guard found == nil else { return number }
        row.entities += 1
        try change { $0.entities.append((number, name)) }
        return number
    }

    func number(ofProperty property: WireProperty) throws -> Int64 {
        if let number = names.propertyNumbers[property] { return number }
        let found = try query(
            """
            SELECT number FROM anabranch.property
            WHERE zone = $1 AND name = $2 AND type = $3 AND rule = $4
            """, .bytes(Array(property.name.string.utf8)),
            .integer(Int64(property.type.rawValue)), .integer(Int64(property.rule.rawValue))
        ).first?.integer(at: 0)
        let number = found ?? row.properties
        names.insert(property, number: number)
        guard found == nil else { return number }
        row.properties += 1
        try change { $0.properties.append((number, property)) }
        return number
    }

    // MARK: Parts

    func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        let name = [PostgreSQLValue.text(zone)] + part.name
        let stage =
            name + [.integer(Int64(start + piece.count)), .integer(wallMilliseconds)]
        try send()
        _ = try session.run([
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.part(zone, digest, size, start, bytes)
                VALUES ($1, $2, $3, $4, $5)
                """, name + [.integer(Int64(start)), .bytes(piece)], changing: 1),
            PostgreSQLStatement(
                """
                UPDATE anabranch.stage SET held = $4, touched = $5
                WHERE zone = $1 AND digest = $2 AND size = $3
                """, stage),
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.stage(zone, digest, size, held, touched)
                SELECT $1::text, $2::bytea, $3::bigint, $4::bigint, $5::bigint
                WHERE NOT EXISTS (SELECT 1 FROM anabranch.stage
                    WHERE zone = $1 AND digest = $2 AND size = $3)
                """, stage),
        ])
    }

    func putInLog(_ parts: [SavePart], at position: UInt64) throws {
        guard !parts.isEmpty else { return }
        let names = Self.parameters(zone, Set(parts))
        try send()
        _ = try session.run([
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.log_part(zone, digest, size, position)
                SELECT $1, digest, size, $4::bigint
                FROM unnest($2::bytea[], $3::bigint[]) AS new(digest, size)
                """, names + [.integer(Int64(clamping: position))]),
            Self.unstaging(names),
        ])
    }

    func dropStaged(_ parts: [SavePart]) throws {
        guard !parts.isEmpty else { return }
        try send()
        _ = try session.run(Self.unstaging(Self.parameters(zone, Set(parts))))
        try removeUnusedParts()
    }

    func dropStaged(untouchedSince wallMilliseconds: Int64) throws {
        let dropped = try query(
            "DELETE FROM anabranch.stage WHERE zone = $1 AND touched < $2",
            .integer(wallMilliseconds))
        if dropped.changes > 0 { try removeUnusedParts() }
    }

    private static func parameters(_ zone: String, _ parts: Set<SavePart>) -> [PostgreSQLValue] {
        let parts = Array(parts)
        return [
            .text(zone), .blobs(parts.map(\.digest.bytes)),
            .integers(parts.map { Int64($0.byteCount) }),
        ]
    }

    private static func unstaging(_ names: [PostgreSQLValue]) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            DELETE FROM anabranch.stage AS s
            USING unnest($2::bytea[], $3::bigint[]) AS p(digest, size)
            WHERE s.zone = $1 AND s.digest = p.digest AND s.size = p.size
            """, Array(names.prefix(3)))
    }

    /// Removes parts that the log does not list and no client is sending.
    private func removeUnusedParts() throws {
        _ = try query(
            """
            DELETE FROM anabranch.part AS p WHERE zone = $1
            AND NOT EXISTS (SELECT 1 FROM anabranch.log_part l
                WHERE l.zone = $1 AND l.digest = p.digest AND l.size = p.size)
            AND NOT EXISTS (SELECT 1 FROM anabranch.stage s
                WHERE s.zone = $1 AND s.digest = p.digest AND s.size = p.size)
            """)
    }
}

// The merged state.
extension PostgreSQLZoneWriter {
    /// The rows of some records, as this transaction leaves them so far.
    private func heldRows(for keys: [RecordKey]) throws -> [RecordKey: HeldRow] {
        let unknown = Set(keys).filter {
            !isNew($0) && unsentRow($0) == nil && held.rows[$0] == nil
        }
        if !unknown.isEmpty {
            let rows = try session.run(
                PostgreSQLStatement(
                    """
                    SELECT \(Self.rowColumns) FROM anabranch.record
                    WHERE zone = $1 AND key = ANY($2)
                    """, .text(zone), .integers(unknown.map(\.rawValue))))
            try held.take(rows, of: unknown)
        }
        var found: [RecordKey: HeldRow] = [:]
        found.reserveCapacity(keys.count)
        for key in keys {
            if let row = unsentRow(key) ?? held.rows[key] ?? nil { found[key] = row }
        }
        return found
    }

    private func unsentRow(_ key: RecordKey) -> HeldRow?? { unsent { $0.rows[key] } }

    /// True if the record's replica is new in this transaction, so that the database has no record
    /// of it.
    private func isNew(_ key: RecordKey) -> Bool { key.ordinal >= firstNewOrdinal }

    func rows(for keys: [RecordKey]) throws -> [RecordKey: StateRow] {
        try heldRows(for: keys).mapValues(\.row)
    }

    func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64] {
        let unknown = Set(keys).filter {
            !isNew($0) && unsentRow($0) == nil && held.rows[$0] == nil && held.entities[$0] == nil
        }
        if !unknown.isEmpty {
            for key in unknown { held.entities.updateValue(nil, forKey: key) }
            let rows = try session.run(
                PostgreSQLStatement(
                    "SELECT key, entity FROM anabranch.record WHERE zone = $1 AND key = ANY($2)",
                    .text(zone), .integers(unknown.map(\.rawValue))))
            for row in rows {
                held.entities[RecordKey(rawValue: row.integer(at: 0))] = .some(row.integer(at: 1))
            }
        }
        var found: [RecordKey: Int64] = [:]
        for key in keys {
            if let row = unsentRow(key) ?? held.rows[key] {
                found[key] = row?.row.entity
            } else if let entity = held.entities[key] ?? nil {
                found[key] = entity
            }
        }
        return found
    }

    func insert(_ rows: [StateRow]) throws {
        let present = try heldRows(for: rows.map(\.key))
        var inserted: Set<RecordKey> = []
        for row in rows {
            guard present[row.key] == nil, inserted.insert(row.key).inserted else {
                throw StorageError(
                    .recordHeld,
                    "Can't insert record \(row.key.number) because the zone holds it already.")
            }
        }
        for row in rows { try change { $0.put(HeldRow(row: row, dead: 0)) } }
    }

    func replace(_ rows: [StateRow]) throws {
        let present = try heldRows(for: rows.map(\.key))
        for row in rows {
            guard let before = present[row.key] else { continue }
            var after = before
            after.row.cells = row.cells
            after.row.seen = row.seen
            after.row.isDead = row.isDead
            if !row.isDead {
                after.dead = 0
            } else if before.dead == 0 {
                after.dead = Int64(clamping: self.row.position)
            }
            try change { $0.put(after) }
        }
    }

    @discardableResult
    func remove(_ keys: [RecordKey]) throws -> [LinkKey: [UInt8]] {
        let present = try heldRows(for: keys)
        let removed = try links(at: keys)
        try change { changes in
            for key in present.keys { changes.remove(key) }
            for link in removed.keys { changes.put(nil, on: link) }
        }
        return removed
    }

    /// The links from or to records, as this transaction leaves them so far.
    private func links(at keys: [RecordKey]) throws -> [LinkKey: [UInt8]] {
        let ends = PostgreSQLValue.integers(keys.map(\.rawValue))
        let rows = try query(
            """
            SELECT left_key, property, right_key, tags FROM anabranch.link
            WHERE zone = $1 AND left_key = ANY($2)
            UNION ALL
            SELECT left_key, property, right_key, tags FROM anabranch.link
            WHERE zone = $1 AND right_key = ANY($2) AND NOT left_key = ANY($2)
            """, ends)
        var links: [LinkKey: [UInt8]] = [:]
        for row in rows {
            links[row.linkKey()] = row.bytes(at: 3)
            held.tags[row.linkKey()] = .some(row.bytes(at: 3))
        }
        return links
    }

    func tags(of links: [LinkKey]) throws -> [LinkKey: [UInt8]] {
        let unknown = Set(links).filter { unsentTags($0) == nil && held.tags[$0] == nil }
        if !unknown.isEmpty { try loadTags(of: Array(unknown)) }
        var found: [LinkKey: [UInt8]] = [:]
        for link in links {
            if let tags = unsentTags(link) ?? held.tags[link] ?? nil { found[link] = tags }
        }
        return found
    }

    private func unsentTags(_ link: LinkKey) -> [UInt8]?? { unsent { $0.tags[link] } }

    private func loadTags(of links: [LinkKey]) throws {
        for link in links { held.tags.updateValue(nil, forKey: link) }
        let rows = try session.run(
            PostgreSQLStatement(
                """
                SELECT l.left_key, l.property, l.right_key, l.tags FROM anabranch.link AS l
                JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[])
                    AS k(left_key, property, right_key)
                    ON l.left_key = k.left_key AND l.property = k.property
                    AND l.right_key = k.right_key
                WHERE l.zone = $1
                """, .text(zone), .integers(links.map(\.left.rawValue)),
                .integers(links.map(\.property)), .integers(links.map(\.right.rawValue))))
        for row in rows { held.tags[row.linkKey()] = .some(row.bytes(at: 3)) }
    }

    func put(_ tags: [UInt8], on link: LinkKey) throws {
        if unsentTags(link) == nil, held.tags[link] == nil { try loadTags(of: [link]) }
        try change { $0.put(tags, on: link) }
    }

    func remove(_ link: LinkKey) throws {
        if unsentTags(link) == nil, held.tags[link] == nil { try loadTags(of: [link]) }
        try change { $0.put(nil, on: link) }
    }
}
