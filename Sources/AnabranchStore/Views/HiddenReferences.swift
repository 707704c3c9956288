import AnabranchReplication
import AnabranchSQLite

/// References that a row holds and does not show (`ab_hidden`).
///
/// The column of a hidden reference is NULL, so that every statement, and every other program, sees
/// what the rules show; what the record holds stands here, and counts in its state.
final class HiddenReferences {
    /// The rule that hides a reference.
    enum Rule: Int64 {
        /// Another record holds the target of a one-to-one by a later write.
        case exclusive = 1
        /// The reference was the last one to close a cycle.
        case acyclic = 2
    }

    struct Entry {
        let target: LocalID
        let rule: Rule
    }

    let connection: Connection
    /// Asking once spares every change of a store that hides nothing a look-up.
    private(set) lazy var isEmpty: Bool = (try? Self.isEmpty(on: connection)) ?? false

    init(_ connection: Connection) { self.connection = connection }

    static func isEmpty(on connection: Connection) throws -> Bool {
        try connection.firstValue("SELECT EXISTS (SELECT 1 FROM ab_hidden)") == .integer(0)
    }

    func entry(of id: LocalID, _ ruled: RuledColumn) throws -> Entry? {
        guard !isEmpty else { return nil }
        let statement = try connection.cached(
            "SELECT target, rule FROM ab_hidden WHERE record = ? AND property = ?")
        try statement.bind(id, at: 1)
        try statement.bind(Int64(ruled.column.number), at: 2)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return Rule(rawValue: statement.int64(at: 1)).map {
            Entry(target: statement.int64(at: 0), rule: $0)
        }
    }

    /// Hides what a row holds.
    func hide(_ target: LocalID, of id: LocalID, _ ruled: RuledColumn, by rule: Rule) throws {
        isEmpty = false
        try connection.run(
            """
            INSERT INTO ab_hidden (record, property, target, rule) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (record, property) DO UPDATE SET rule = ?4
            """,
            .integer(id), .integer(Int64(ruled.column.number)), .integer(target),
            .integer(rule.rawValue))
        try connection.run(
            "UPDATE \(ruled.table) SET \(ruled.column.name) = NULL WHERE ab_pk = ?", .integer(id))
    }

    /// Puts back what a row holds.
    func show(_ entry: Entry, of id: LocalID, _ ruled: RuledColumn) throws {
        try connection.run(
            "DELETE FROM ab_hidden WHERE record = ? AND property = ?", .integer(id),
            .integer(Int64(ruled.column.number)))
        try connection.run(
            "UPDATE \(ruled.table) SET \(ruled.column.name) = ? WHERE ab_pk = ?",
            .integer(entry.target), .integer(id))
    }

    /// The records of a table that hide a reference in a column.
    func records(_ ruled: RuledColumn) throws -> [LocalID] {
        guard !isEmpty else { return [] }
        let statement = try connection.cached(
            """
            SELECT h.record FROM ab_hidden h JOIN \(ruled.table) t ON t.ab_pk = h.record
            WHERE h.property = ?
            """)
        try statement.bind(Int64(ruled.column.number), at: 1)
        var found: [LocalID] = []
        while try statement.step() { found.append(statement.int64(at: 0)) }
        return found
    }

    func removeAll() throws {
        try connection.execute("DELETE FROM ab_hidden")
        isEmpty = true
    }
}
