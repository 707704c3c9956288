import AnabranchReplication

/// Writes a zone within its one write transaction.
///
/// Changes are collected in memory and sent in one group with the commit, so that a transaction
/// costs few round trips, whatever it changes. They are sent earlier if they take much memory
/// together with what was read, or if a statement has to see them.
final class PostgreSQLZoneWriter: PostgreSQLZoneReader, ZoneWriting {
    private let greatestOrdinal: Int64
    /// The zone's row in the database.
    private let sentRow: ZoneRow
    /// Replicas of this ordinal and above have no rows in the database, except those in `held`.
    var firstNewOrdinal: Int64
    var held: HeldState
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

    /// The bytes of unsent changes and of what was read, above which both are given up.
    static let mostKept = 8 << 20

    /// Creates the writer of a zone after its row was locked.
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
    func unsent<Value>(_ find: (ZoneChanges) -> Value?) -> Value? {
        find(atomicChanges) ?? find(changes)
    }

    func change(_ body: (inout ZoneChanges) -> Void) {
        if isAtomic { body(&atomicChanges) } else { body(&changes) }
    }

    /// The bytes that the writer keeps at present.
    var keptBytes: Int { held.byteCount + changes.byteCount + atomicChanges.byteCount }

    /// Sends changes and forgets what was read if both take much memory.
    ///
    /// It is called before an operation, never within one: what the operation has read of a row
    /// says whether a change inserts or updates the row.
    func makeRoom() throws {
        guard keptBytes > Self.mostKept else { return }
        try send()
        forgetHeld()
    }

    func forgetHeld() {
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
        } catch let error as PostgreSQLError {
            // It ends the whole transaction. The savepoint may not exist, because the group of
            // statements that creates it may be the one that was refused.
            throw error
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
    func send() throws {
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
        try known(origin, \.places, unsent: \.places) { try super.place(ofOrigin: origin) }
    }

    override func place(of dot: Dot) throws -> ZoneLogLocation? {
        try known(dot, \.placesByDot, unsent: \.placesByDot) { try super.place(of: dot) }
    }

    override func head(of replica: ReplicaID) throws -> ReplicaHead? {
        try known(replica, \.heads, unsent: \.heads) { try super.head(of: replica) }
    }

    /// Finds a value in the unsent changes or in what the database is known to hold, or reads it.
    private func known<Key, Value>(
        _ key: Key, _ values: WritableKeyPath<HeldState, [Key: Value?]>,
        unsent new: KeyPath<ZoneChanges, [Key: Value]>, orRead read: () throws -> Value?
    ) throws -> Value? {
        if let value = unsent({ $0[keyPath: new][key] }) { return value }
        if let known = held[keyPath: values][key] { return known }
        let value = try read()
        held[keyPath: values].updateValue(value, forKey: key)
        return value
    }

    func append(_ entry: ZoneLogEntry) throws {
        try makeRoom()
        let changeSet = entry.changeSet
        let author = try ordinal(of: changeSet.dot.replica)
        let last = try head(of: changeSet.dot.replica)?.sequence ?? 0
        row.position = entry.cursor.position
        row.running = ReplicaID(high: entry.cursor.digestHigh, low: entry.cursor.digestLow)
        row.greatestTimestamp = max(row.greatestTimestamp, changeSet.timestamp.rawValue)
        row.count(bytes: Int64(entry.bytes.count))
        change {
            $0.append(entry, author: author)
            guard changeSet.dot.sequence > last else { return }
            $0.heads[changeSet.dot.replica] = ReplicaHead(
                sequence: changeSet.dot.sequence, origin: changeSet.origin)
        }
    }

    func forgetChangeSets(through position: UInt64) throws {
        let last = PostgreSQLValue.integer(Int64(clamping: position))
        let forgotten = "zone = $1 AND position > $2 AND position <= $3 AND kind IN ($4, $5)"
        let parameters: [PostgreSQLValue] = [
            .integer(Int64(clamping: row.startPosition)), last,
            .integer(Int64(LogEntryKind.save.rawValue)),
            .integer(Int64(LogEntryKind.saveInParts.rawValue)),
        ]
        try send()
        try uncount(
            lookUp(
                """
                SELECT coalesce(sum(octet_length(change_set)), 0)::bigint FROM anabranch.log
                WHERE \(forgotten)
                """, parameters))
        _ = try lookUp(
            "UPDATE anabranch.log SET change_set = '' WHERE \(forgotten)", parameters)
        try forgetParts(through: position)
        row.startPosition = max(row.startPosition, position)
    }

    func acknowledge(_ positions: [ReplicaID: Acknowledgement]) throws {
        change { $0.acknowledgements.merge(positions) { $1 } }
    }

    func setQuotas(_ quotas: ZoneQuotas) throws { row.quotas = quotas }

    func setUse(_ counts: ZoneCounts) throws {
        row.bytes = counts.bytes
        row.records = counts.records
    }

    func setPushed(_ bytes: Int64, on day: Int64) throws {
        row.day = day
        row.dayBytes = bytes
    }

    /// Uncounts bytes that are removed, by the sum that a statement gave.
    func uncount(_ rows: PostgreSQLRows) throws {
        row.count(bytes: -(rows.first?.int64(at: 0) ?? 0))
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
        change { $0.ordinals[replica] = ordinal }
        return ordinal
    }

    func number(ofEntity name: WireName) throws -> Int64 {
        if let number = names.entities[name] { return number }
        let bytes = PostgreSQLValue.bytes(Array(name.string.utf8))
        let found = try query(
            "SELECT number FROM anabranch.entity WHERE zone = $1 AND name = $2", bytes
        ).first?.number(at: 0)
        let number = found ?? row.entities
        names.insert(name, entity: number)
        guard found == nil else { return number }
        row.entities += 1
        row.count(bytes: Int64(name.countedBytes))
        change { $0.entities.append((number, name)) }
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
        ).first?.number(at: 0)
        let number = found ?? row.properties
        names.insert(property, number: number)
        guard found == nil else { return number }
        row.properties += 1
        row.count(bytes: Int64(property.name.countedBytes))
        change { $0.properties.append((number, property)) }
        return number
    }
}
