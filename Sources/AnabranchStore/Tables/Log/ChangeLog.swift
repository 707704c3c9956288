import AnabranchReplication
import AnabranchSQLite

/// The table `ab_changeset` on one connection.
struct ChangeLog {
    let connection: Connection
    let replicas: ReplicaTable
    /// The knowledge of the write transaction; `nil` outside one.
    let known: KnownLog?

    init(connection: Connection, replicas: ReplicaTable, known: KnownLog? = nil) {
        self.connection = connection
        self.replicas = replicas
        self.known = known
    }

    private static let columns = """
        position, kind, replica, seq, hlc, context, author, name, epoch, server_position,
        rewritten, \(previousOrigin), origin, digest, payload,
        (SELECT bytes FROM ab_payload_tables WHERE id = c.tables)
        """

    /// The expression of the previous origin of a row `c`. The row has it only if it differs from
    /// the origin of the entry before it in the history of its replica.
    static let previousOrigin = """
        coalesce(c.previous_origin, (SELECT p.origin FROM ab_changeset p
            WHERE p.replica = c.replica AND p.seq = c.seq - 1))
        """

    /// The position that the next entry gets. No position is assigned twice, even if its entry was
    /// removed.
    func nextPosition() throws -> Int64 {
        let last = try lastPosition()
        guard last < .max else {
            throw StoreError(.exhausted, "Can't write because the log is at its last position.")
        }
        return last + 1
    }

    private static let lastPositionSQL =
        "SELECT \(StoreState.lastPositionSQL) AS reserved FROM ab_state WHERE id = 1"

    /// The last position that was given to an entry, or that no entry gets any more.
    func lastPosition() throws -> Int64 {
        if let known { return known.lastPosition }
        return try connection.cached(Self.lastPositionSQL).first { try $0.amount(at: 0) } ?? 0
    }

    /// True if the log holds a save in parts.
    func hasParts() throws -> Bool {
        let kind = LogEntryKind.saveInParts.rawValue
        return try connection.firstValue(
            "SELECT 1 FROM ab_changeset WHERE kind = \(kind) LIMIT 1") != nil
    }

    /// Takes the next position for a save without an entry. Rows that name it find its stamp.
    ///
    /// A clock that was set back may issue a time again that such a save has. The next free time
    /// then takes its place, because a stamp has one position.
    func append(_ stamp: LocalStamp, at position: Int64) throws {
        reservePositions(through: position)
        try connection.run(
            """
            INSERT INTO ab_stamp (position, replica, hlc) VALUES (?1, ?2, (
                WITH RECURSIVE time (hlc) AS (
                    SELECT ?3 UNION ALL SELECT t.hlc + 1 FROM time t
                    WHERE EXISTS (SELECT 1 FROM ab_stamp WHERE replica = ?2 AND hlc = t.hlc))
                SELECT max(hlc) FROM time))
            """, .integer(position), .integer(stamp.ordinal),
            .integer(Int64(bitPattern: stamp.timestamp)))
    }

    /// Registers that no entry gets a position up to this one any more.
    func reservePositions(through position: Int64) { known?.takePositions(through: position) }

    /// Removes an entry; rows that name its position still find its stamp.
    func forget(_ position: Int64) throws {
        try connection.run(
            """
            INSERT OR IGNORE INTO ab_stamp (position, replica, hlc)
            SELECT position, replica, hlc FROM ab_changeset WHERE position = ?
            """, .integer(position))
        try keepOrigins(around: position)
        known?.forgetBranchPoints()
        reservePositions(through: position)
        try connection.run("DELETE FROM ab_changeset WHERE position = ?", .integer(position))
        known?.forgetUnplaced()
    }

    /// Removes an entry that the zone holds. Rows that name its position still find its stamp, and
    /// the conflict journal finds its name and its place in the zone's log. Reserve its position
    /// (``reservePositions(through:)``).
    ///
    /// - Parameter author: The number of its author in the journal.
    func trim(_ position: Int64, author: SQLiteValue) throws {
        try connection.cached(
            """
            INSERT OR IGNORE INTO ab_stamp (position, replica, hlc, seq, server_position, author)
            SELECT position, replica, hlc, seq, server_position, ?2 FROM ab_changeset
            WHERE position = ?1 AND kind <> \(LogEntryKind.lost.rawValue)
            """, position, author
        ).run()
        try keepOrigins(around: position)
        try connection.cached("DELETE FROM ab_changeset WHERE position = ?", position).run()
    }

    /// Forgets the places that removed entries had in the zone's log after a position.
    func forgetPlaces(after position: UInt64) throws {
        try connection.run(
            "UPDATE ab_stamp SET server_position = NULL WHERE server_position > ?",
            .integer(Int64(bitPattern: position)))
    }

    /// The context of a change set as an entry has it; `nil` if it is empty.
    static func stored(_ context: CausalContext) -> [UInt8]? {
        guard context != .empty else { return nil }
        var bytes = ByteWriter()
        bytes.append(context: context)
        return bytes.bytes
    }

    func replaceContext(ofEntryAt position: Int64, by context: CausalContext) throws {
        var bytes = ByteWriter()
        bytes.append(context: context)
        try connection.run(
            "UPDATE ab_changeset SET context = ? WHERE position = ?", .blob(bytes.bytes),
            .integer(position))
    }

    /// Replaces an entry by another form of the same save, or by its void. The local position
    /// stays.
    func replace(_ entry: StoredLogEntry, by set: ChangeSet, ordinal: Int64) throws {
        let statement = try connection.cached(
            """
            UPDATE ab_changeset SET replica = ?, seq = ?, hlc = ?, context = ?, rewritten = ?,
            digest = ?, payload = ?, kind = ?, author = ?, name = ?, previous_origin = ?,
            origin = ?, tables = NULL WHERE position = ?
            """)
        try keepOrigins(around: entry.localPosition)
        var context = ByteWriter()
        context.append(context: set.context)
        var rewritten = ByteWriter()
        if let first = set.rewrittenFrom { rewritten.append(dot: first) }
        try statement.bind(
            ordinal, Int64(bitPattern: set.dot.sequence), Int64(bitPattern: set.timestamp.rawValue),
            context.bytes, set.rewrittenFrom == nil ? nil : rewritten.bytes, set.digest.bytes,
            set.payload, Int64(set.kind.rawValue), set.author, set.name, set.previousOrigin.bytes,
            set.origin.bytes, entry.localPosition)
        try statement.run()
    }

    /// Appends a change set to the log.
    ///
    /// The previous origin is not stored if the entry with the number before has it.
    ///
    /// - Parameter position: The value of ``nextPosition()``, if it is known.
    /// - Returns: The change set's local position.
    @discardableResult
    func append(
        _ set: ChangeSet, ordinal: Int64, place: CausalContext.Prefix?, at position: Int64? = nil
    ) throws -> Int64 {
        let statement = try connection.cached(
            """
            INSERT INTO ab_changeset (kind, replica, seq, hlc, context, author, name, epoch,
            server_position, rewritten, previous_origin, origin, digest, payload, position, tables)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
            CASE WHEN ?11 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ab_changeset
                WHERE replica = ?2 AND seq = ?3 - 1 AND origin = ?11) THEN ?11 END,
            ?12, ?13, ?14, ?15, ?16)
            """)
        let position = try position ?? nextPosition()
        // The first change set of a history says which one it has left.
        if set.dot.sequence == 1 { known?.forgetBranchPoints() }
        try statement.bind(
            Int64(set.kind.rawValue), ordinal, Int64(bitPattern: set.dot.sequence),
            Int64(bitPattern: set.timestamp.rawValue), Self.stored(set.context), set.author,
            set.name)
        if let place {
            try statement.bind(place.epoch.bytes, Int64(bitPattern: place.position), from: 8)
        }
        if let rewritten = set.rewrittenFrom {
            var dot = ByteWriter()
            dot.append(dot: rewritten)
            try statement.bind(dot.bytes, at: 10)
        }
        if known?.hasPredecessor(of: set, ordinal: ordinal) != true {
            try statement.bind(set.previousOrigin, at: 11)
        }
        try statement.bind(set.origin, at: 12)
        if !Self.isDigestComputed(of: set) { try statement.bind(set.digest, at: 13) }
        let tables = try SharedTables(connection: connection, known: known).beginning(of: set)
        try statement.bind(position, at: 15)
        if let tables { try statement.bind(tables.number, at: 16) }
        try set.payload.withUnsafeBytes { payload in
            let rest = UnsafeRawBufferPointer(rebasing: payload[(tables?.byteCount ?? 0)...])
            try statement.unsafeBindBlob(rest, at: 14)
            try statement.run()
        }
        known?.append(set, ordinal: ordinal, at: position, place: place?.position)
        return position
    }

    /// The entries after a local position, oldest first.
    ///
    /// The result ends when it has `limit` entries, or when its payloads reach `byteLimit` bytes.
    /// It has at least one entry if there is one.
    func entries(
        after position: Int64, limit: Int, byteLimit: Int = .max
    ) throws -> [StoredLogEntry] {
        let statement = try connection.cached(
            """
            SELECT \(Self.columns) FROM ab_changeset c WHERE position > ? ORDER BY position LIMIT ?
            """, position, Int64(limit))
        var entries: [StoredLogEntry] = []
        var byteCount = 0
        while byteCount < byteLimit, try statement.step() {
            let entry = try Self.entry(statement, replicas: replicas)
            byteCount += entry.changeSet.payload.count
            entries.append(entry)
        }
        return entries
    }

    func entry(at position: Int64) throws -> StoredLogEntry? {
        let statement = try connection.cached(
            "SELECT \(Self.columns) FROM ab_changeset c WHERE position = ?", position)
        return try read(statement).first
    }

    func entry(named dot: Dot) throws -> StoredLogEntry? {
        guard let ordinal = replicas.ordinal(of: dot.replica) else { return nil }
        let statement = try connection.cached(
            "SELECT \(Self.columns) FROM ab_changeset c WHERE replica = ? AND seq = ?", ordinal,
            Int64(bitPattern: dot.sequence))
        return try read(statement).first
    }

    /// The first of the change sets that lead to an entry without a gap in one replica's history,
    /// and that the zone is not known to hold.
    func beginning(of entry: StoredLogEntry) throws -> StoredLogEntry {
        var first = entry
        while let dot = first.changeSet.dot.predecessor, let previous = try self.entry(named: dot),
            previous.place == nil, previous.changeSet.origin == first.changeSet.previousOrigin
        {
            first = previous
        }
        return first
    }

    /// The change sets that the zone is not known to hold, oldest first, until their payloads
    /// exceed a number of bytes. The result has at least one if there is one.
    func pending(byteLimit: Int, countLimit: Int) throws -> [StoredLogEntry] {
        let statement = try connection.cached(
            """
            SELECT \(Self.columns) FROM ab_changeset c
            WHERE \(Self.isUnplaced) ORDER BY position
            """)
        var entries: [StoredLogEntry] = []
        var byteCount = 0
        while entries.count < countLimit, try statement.step() {
            let entry = try Self.entry(statement, replicas: replicas)
            byteCount += entry.changeSet.payload.count + 256
            if !entries.isEmpty && byteCount > byteLimit { break }
            entries.append(entry)
        }
        return entries
    }

    private func read(_ statement: Statement) throws -> [StoredLogEntry] {
        try statement.map { try Self.entry($0, replicas: replicas) }
    }

    private static func entry(
        _ statement: Statement, replicas: ReplicaTable
    ) throws -> StoredLogEntry {
        let position = statement.int64(at: 0)
        // The number is negative while the change set is being renamed.
        let sequence = statement.int64(at: 3).magnitude
        guard position > 0, (1...Limits.greatestSequence).contains(sequence),
            let replica = replicas[statement.int64(at: 2)],
            let previousOrigin = Digest(bytes: statement.bytes(at: 11)),
            let origin = Digest(bytes: statement.bytes(at: 12))
        else {
            throw StoreError(
                .corrupt,
                "Can't read entry \(position) of the log because it is damaged. "
                    + "Restore a backup.")
        }
        var context = ByteReader(statement.bytes(at: 5))
        var rewritten = ByteReader(statement.bytes(at: 10))
        let place = try EpochID(bytes: statement.bytes(at: 8)).map {
            CausalContext.Prefix(epoch: $0, position: try statement.zonePosition(at: 9))
        }
        let set = ChangeSet(
            fromLog: LogEntryKind(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 1))),
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: try statement.timestamp(at: 4),
            author: statement.string(at: 6), name: statement.string(at: 7),
            payload: statement.bytes(at: 15) + statement.bytes(at: 14),
            rewrittenFrom: statement.isNull(at: 10) ? nil : try rewritten.readDot(),
            previousOrigin: previousOrigin, origin: origin,
            digest: Digest(bytes: statement.bytes(at: 13)),
            context: statement.isNull(at: 5) ? CausalContext() : try context.readContext())
        return StoredLogEntry(localPosition: position, place: place, changeSet: set)
    }
}

extension ChangeLog {
    /// The heads of own replicas beyond a prefix of the zone's log. The cross join keeps SQLite
    /// from beginning with the log, which would be read as a whole.
    static let headsBeyondPrefix = """
        SELECT r.ordinal, r.seen, r.origin FROM ab_head r CROSS JOIN ab_changeset c
        ON c.replica = r.ordinal AND c.seq = r.seen
        WHERE r.own = 1 AND r.ordinal <> ? AND r.seen > 0
        AND (c.server_position IS NULL OR c.epoch IS NOT ? OR c.server_position > ?)
        """
}

extension WriteTransaction {
    /// The log, with the replicas known now. Read the property again after a replica may have been
    /// added.
    var log: ChangeLog {
        ChangeLog(connection: connection, replicas: replicas, known: knownLog)
    }

    /// The causal context of a save: what this file holds.
    ///
    /// It consists of a prefix of the zone's log, this replica's earlier saves, which its sequence
    /// number implies, and change sets of other replicas beyond the prefix. Those are in the log,
    /// or a snapshot brought them and the zone has gone back to before it.
    func causalContext() throws -> CausalContext {
        let prefix = state.cursor.map {
            CausalContext.Prefix(epoch: $0.epoch, position: $0.position)
        }
        guard replicas.count > 1 else { return CausalContext(prefix: prefix) }
        let logged = try connection.cached(
            ChangeLog.headsBeyondPrefix, state.ordinal, prefix?.epoch.bytes ?? [],
            Int64(bitPattern: prefix?.position ?? 0))
        var beyond = try heads(logged)
        if let start = state.start, prefix?.position ?? 0 < start.position {
            let removed = try connection.cached(
                """
                SELECT ordinal, seen, origin FROM ab_head r
                WHERE ordinal <> ? AND seen > 0 AND NOT EXISTS
                (SELECT 1 FROM ab_changeset WHERE replica = r.ordinal AND seq = r.seen)
                """, state.ordinal)
            beyond += try heads(removed)
        }
        return CausalContext(prefix: prefix, beyond: beyond)
    }

    private func heads(_ statement: Statement) throws -> [CausalContext.Entry] {
        var heads: [CausalContext.Entry] = []
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            let sequence = try statement.sequence(at: 1)
            heads.append(
                .init(
                    dot: Dot(replica: replica, sequence: sequence), originPrefix: origin.prefix))
        }
        return heads
    }
}
