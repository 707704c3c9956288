package import AnabranchReplication
import AnabranchSQLite

/// A selection of conflict journal entries to list, count or purge.
public struct ConflictSelection: Sendable {
    private enum Term {
        case numbers([Int64])
        case after(Int64)
        case record(RecordID)
        case entities([String])
        case olderThan(Duration)
        case expired(Duration)
        case allButNewest(Int)
    }

    /// The conditions, all of which must hold.
    private let terms: [Term]

    private init(_ terms: Term...) { self.terms = terms }
    private init(_ terms: [Term]) { self.terms = terms }

    /// All entries.
    public static let all = ConflictSelection()

    /// One entry; none if it was purged.
    package static func number(_ id: ConflictEntry.ID) -> ConflictSelection { numbers([id]) }

    /// Entries with some numbers; purged entries are left out.
    public static func numbers(_ ids: [ConflictEntry.ID]) -> ConflictSelection {
        ConflictSelection(.numbers(ids))
    }

    /// Entries that were recorded after an entry, whether that entry still exists or not.
    public static func after(_ id: ConflictEntry.ID) -> ConflictSelection {
        ConflictSelection(.after(id))
    }

    /// Values that a record and its merged duplicates have lost, including links from other records
    /// to it.
    package static func record(_ record: RecordID) -> ConflictSelection {
        ConflictSelection(.record(record))
    }

    /// Values that records of some entities have lost.
    ///
    /// - Parameter wireNames: The names as in ``ConflictEntry/entity``. The file's model need not
    ///   know them.
    package static func entities(wireNames: [String]) -> ConflictSelection {
        ConflictSelection(.entities(wireNames))
    }

    /// Entries that this replica noticed longer ago than an age, by the device's clock.
    public static func olderThan(_ age: Duration) -> ConflictSelection {
        ConflictSelection(.olderThan(age))
    }

    /// Entries that are older than an age, found without reading the whole journal.
    ///
    /// The selection is a prefix of the journal. It ends at the last older entry before the first
    /// entry that is not older. Entries in it that were recorded while the clock was far ahead are
    /// included. ``olderThan(_:)`` instead reads every entry.
    ///
    /// No entry is selected unless it or an entry after it is older. So a clock that goes back
    /// makes no entry old.
    static func expired(after age: Duration) -> ConflictSelection {
        ConflictSelection(.expired(age))
    }

    /// All entries except the newest `count`, whatever other conditions apply.
    package static func allButNewest(_ count: Int) -> ConflictSelection {
        ConflictSelection(.allButNewest(count))
    }

    /// The entries that are in both selections.
    package func intersection(_ other: ConflictSelection) -> ConflictSelection {
        ConflictSelection(terms + other.terms)
    }
}

extension ConflictSelection {
    /// A WHERE condition with a value for each question mark.
    struct Condition {
        let sql: String
        var values: [SQLiteValue] = []
    }

    /// The SQL condition of the selection.
    ///
    /// - Parameters:
    ///   - replicas: The replicas of the file; a record of an unknown replica has no entries.
    ///   - wallMilliseconds: The present time of the device's clock.
    func condition(_ replicas: ReplicaTable, wallMilliseconds: Int64) -> Condition {
        let conditions = terms.map { Self.condition($0, replicas, wallMilliseconds) }
        return Condition(
            sql: conditions.isEmpty ? "1" : conditions.map(\.sql).joined(separator: " AND "),
            values: conditions.flatMap(\.values))
    }

    private static func condition(
        _ term: Term, _ replicas: ReplicaTable, _ wallMilliseconds: Int64
    ) -> Condition {
        switch term {
        case .numbers(let ids):
            Condition(sql: "id IN (SELECT value FROM json_each(?))", values: [.text(SQL.json(ids))])
        case .after(let id): Condition(sql: "id > ?", values: [.integer(id)])
        case .record(let record): condition(record, replicas)
        case .entities(let names):
            Condition(
                sql: """
                    subject IN (SELECT id FROM ab_conflict_subject
                    WHERE entity IN (\(names.map { _ in "?" }.joined(separator: ", "))))
                    """,
                values: names.map { .text($0) })
        case .olderThan(let age):
            Condition(
                sql: "noticed < ?",
                values: [.integer(wallMilliseconds.subtractingClamped(age.wholeMilliseconds))])
        case .expired(let age):
            expired(after: age.wholeMilliseconds, wallMilliseconds)
        case .allButNewest(let count):
            // The first entry that exceeds the count, and all entries before it.
            Condition(
                sql: """
                    id <= (SELECT id FROM ab_conflict ORDER BY id DESC LIMIT 1 OFFSET ?)
                    """, values: [.integer(Int64(max(count, 0)))])
        }
    }

    /// The condition of `expired(after:)`.
    ///
    /// A time that is ahead of the clock by less than the age counts as young. So correcting the
    /// clock does not make a purge read every entry.
    private static func expired(after age: Int64, _ wallMilliseconds: Int64) -> Condition {
        let first = wallMilliseconds.subtractingClamped(age)
        let last = wallMilliseconds.subtractingClamped(age == .min ? .max : -age)
        return Condition(
            sql: """
                id <= (SELECT max(id) FROM ab_conflict WHERE noticed < ?1 AND id <
                coalesce((SELECT id FROM ab_conflict
                WHERE noticed BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1), \(Int64.max)))
                """, values: [.integer(first), .integer(last)])
    }

    private static func condition(_ record: RecordID, _ replicas: ReplicaTable) -> Condition {
        guard let id = replicas.localID(of: record) else { return Condition(sql: "0") }
        var end = ByteWriter()
        end.append(tagged: .reference(record))
        return Condition(
            sql: """
                (record IN (SELECT ? UNION ALL SELECT record FROM ab_shadow WHERE visible = ?)
                OR (kind = \(ConflictEntry.Kind.linkToDeleted.rawValue) AND value = ?))
                """,
            values: [.integer(id), .integer(id), .blob(end.bytes)])
    }
}
