public import AnabranchReplication
import AnabranchSQLite

/// Which entries of the conflict journal are meant, to list, to count or to purge them.
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

    /// All of which have to hold.
    private let terms: [Term]

    private init(_ terms: Term...) { self.terms = terms }
    private init(_ terms: [Term]) { self.terms = terms }

    public static let all = ConflictSelection()

    /// One entry; none where it was purged.
    public static func number(_ id: Conflict.ID) -> ConflictSelection { numbers([id]) }

    public static func numbers(_ ids: [Conflict.ID]) -> ConflictSelection {
        ConflictSelection(.numbers(ids))
    }

    /// Entries that were written down behind one, whether that one is still there or not.
    public static func after(_ id: Conflict.ID) -> ConflictSelection {
        ConflictSelection(.after(id))
    }

    /// What was lost of a record and of those that it shows as one with itself now, links that led
    /// to it from others among it.
    public static func record(_ record: RecordID) -> ConflictSelection {
        ConflictSelection(.record(record))
    }

    /// What was lost of records of entities.
    ///
    /// - Parameter wireNames: As ``Conflict/entity`` has them; the file's model need not know
    ///   them.
    public static func entities(wireNames: [String]) -> ConflictSelection {
        ConflictSelection(.entities(wireNames))
    }

    /// Entries that this replica noticed longer ago, by the device's clock.
    public static func olderThan(_ age: Duration) -> ConflictSelection {
        ConflictSelection(.olderThan(age))
    }

    /// Entries from the first on, up to the last that is older among those before the first that is
    /// not. Between them those go too that a clock which was far ahead has noticed. Finding them
    /// looks at nothing else, where ``olderThan(_:)`` looks at every entry.
    ///
    /// No entry goes unless one behind it, or itself, is older: a clock that goes back makes
    /// nothing old.
    static func expired(after age: Duration) -> ConflictSelection {
        ConflictSelection(.expired(age))
    }

    /// All but so many of those that were written down last, whatever else is asked for.
    public static func allButNewest(_ count: Int) -> ConflictSelection {
        ConflictSelection(.allButNewest(count))
    }

    /// What is meant by both.
    public func intersection(_ other: ConflictSelection) -> ConflictSelection {
        ConflictSelection(terms + other.terms)
    }
}

extension ConflictSelection {
    /// What stands behind WHERE, with a value for each question mark.
    struct Condition {
        let sql: String
        var values: [SQLiteValue] = []
    }

    /// - Parameters:
    ///   - replicas: Of the file; a record of another replica has no entries.
    ///   - wallMilliseconds: As the device's clock shows them now.
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
            Condition(
                sql: "id IN (SELECT value FROM json_each(?))",
                values: [.text(StoreReader.json(ids))])
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
            // The first that is too many, and what came before it.
            Condition(
                sql: """
                    id <= (SELECT id FROM ab_conflict ORDER BY id DESC LIMIT 1 OFFSET ?)
                    """, values: [.integer(Int64(max(count, 0)))])
        }
    }

    /// A time that is ahead by less than the age counts as young: so a clock that is put right
    /// does not have every entry looked at.
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
                OR (kind = \(Conflict.Kind.linkToDeleted.rawValue) AND value = ?))
                """,
            values: [.integer(id), .integer(id), .blob(end.bytes)])
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}

extension Int64 {
    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
