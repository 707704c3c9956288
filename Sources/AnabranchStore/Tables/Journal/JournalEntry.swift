import AnabranchReplication
import AnabranchSQLite

/// The parts of a conflict journal entry that name records and writes.
struct JournalEntry: Equatable {
    let id: ConflictEntry.ID
    let kind: ConflictEntry.Kind
    /// The record; for a link, its left end.
    var record: RecordID
    let property: WireProperty
    /// The discarded value; for a link, its right end.
    var value: PropertyValue
    var lost: Stamp
    var winner: Stamp?
    var winningValue: PropertyValue?

    var isLink: Bool { ConflictEntry.isLink(kind, property) }

    /// The right end of a link; `nil` for any other value.
    var right: RecordID? {
        if isLink, case .reference(let record) = value { record } else { nil }
    }

    /// Calls the body for every entry that this version can read, oldest first. The body must not
    /// change the journal.
    static func forEach(
        in transaction: WriteTransaction, _ body: (JournalEntry) throws -> Void
    ) throws {
        let statement = try transaction.connection.cached(
            """
            SELECT id, kind, record, property, type, rule, value, hlc, by, winner_hlc, winner_by,
            winner_value FROM ab_conflict_entry ORDER BY id
            """)
        while try statement.step() {
            if let entry = try JournalEntry(statement, transaction.replicas) { try body(entry) }
        }
    }

    private init?(_ row: Statement, _ replicas: ReplicaTable) throws {
        guard let kind = ConflictEntry.Kind(rawValue: row.int64(at: 1)),
            let record = replicas.record(row.int64(at: 2)),
            let lost = row.stamp(at: 7, replicas), !row.isNull(at: 6)
        else { return nil }
        id = row.int64(at: 0)
        self.kind = kind
        self.record = record
        property = row.wireProperty(at: 3)
        value = try row.taggedValue(at: 6)
        self.lost = lost
        winner = row.stamp(at: 9, replicas)
        if !row.isNull(at: 11) { winningValue = try row.taggedValue(at: 11) }
    }
}

extension Statement {
    /// Reads the columns of a time and the ordinal of its replica; `nil` if the time is NULL or the
    /// replica is not known.
    func stamp(at column: Int, _ replicas: ReplicaTable) -> Stamp? {
        guard !isNull(at: column), let replica = replicas[int64(at: column + 1)] else { return nil }
        return Stamp(
            timestamp: HybridTimestamp(rawValue: UInt64(bitPattern: int64(at: column))),
            replica: replica)
    }
}
