import AnabranchReplication
import AnabranchSQLite

/// References for which the row shows something other than what the record holds (`ab_hidden`).
///
/// The column of a hidden reference is NULL. If the target is a merged duplicate, the column has
/// the surviving record instead. So every statement, and every other program, sees the result of
/// the view rules. The value that the record holds is in this table, and counts in the record's
/// state.
final class HiddenReferences {
    /// The view rule that hides a reference.
    enum Rule: Int64 {
        /// Another record holds the target of a one-to-one by a later write.
        case exclusive = 1
        /// The reference was the last write among those that form a cycle.
        case acyclic = 2
        /// The target is a merged duplicate, and the column has the surviving record. The column is
        /// NULL if the reference cannot point to that record's entity.
        case redirected = 3
        /// The relationship is its own inverse, and the target refers to another record or to none.
        case mutual = 4
    }

    struct Entry {
        let target: LocalID
        let rule: Rule
    }

    let connection: Connection
    /// True if no reference is hidden. The answer is kept, which saves a lookup for every change.
    private(set) lazy var isEmpty: Bool = (try? Self.isEmpty(on: connection)) ?? false

    /// - Parameter isUsed: False if the model has no rule that hides a reference.
    init(_ connection: Connection, isUsed: Bool = true) {
        self.connection = connection
        if !isUsed { isEmpty = true }
    }

    static func isEmpty(on connection: Connection) throws -> Bool {
        try connection.firstValue("SELECT EXISTS (SELECT 1 FROM ab_hidden)") == .integer(0)
    }

    func entry(of id: LocalID, _ viewColumn: ViewRuleColumn) throws -> Entry? {
        guard !isEmpty else { return nil }
        return try connection.cached(
            "SELECT target, rule FROM ab_hidden WHERE record = ? AND property = ?", id,
            Int64(viewColumn.column.number)
        ).first { statement in
            Rule(rawValue: statement.int64(at: 1)).map {
                Entry(target: statement.int64(at: 0), rule: $0)
            }
        }
    }

    /// Hides the reference that a row holds.
    func hide(_ target: LocalID, of id: LocalID, _ viewColumn: ViewRuleColumn, by rule: Rule) throws
    {
        isEmpty = false
        try connection.run(
            """
            INSERT INTO ab_hidden (record, property, target, rule) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (record, property) DO UPDATE SET rule = ?4
            """,
            .integer(id), .integer(Int64(viewColumn.column.number)), .integer(target),
            .integer(rule.rawValue))
        try connection.run(
            "UPDATE \(viewColumn.table) SET \(viewColumn.column.name) = NULL WHERE ab_pk = ?",
            .integer(id))
    }

    /// Makes a row show another record than the one it holds.
    func redirect(
        _ target: LocalID, of id: LocalID, _ viewColumn: ViewRuleColumn, to shown: LocalID?
    ) throws {
        isEmpty = false
        try connection.run(
            """
            INSERT INTO ab_hidden (record, property, target, rule) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (record, property) DO UPDATE SET rule = ?4
            """,
            .integer(id), .integer(Int64(viewColumn.column.number)), .integer(target),
            .integer(Rule.redirected.rawValue))
        try connection.run(
            "UPDATE \(viewColumn.table) SET \(viewColumn.column.name) = ? WHERE ab_pk = ?",
            shown.map(SQLiteValue.integer) ?? .null, .integer(id))
    }

    /// The records of a table that hold one of some targets, whether the row shows it or not.
    func holders(of targets: [LocalID], _ viewColumn: ViewRuleColumn) throws -> [LocalID] {
        let name = viewColumn.column.name
        return try connection.cached(
            """
            SELECT ab_pk FROM \(viewColumn.table) WHERE \(name) IN (SELECT value FROM json_each(?1))
            UNION SELECT t.ab_pk FROM ab_hidden h JOIN \(viewColumn.table) t ON t.ab_pk = h.record
            WHERE h.property = ?2 AND h.target IN (SELECT value FROM json_each(?1))
            """, SQL.json(targets), Int64(viewColumn.column.number)
        ).map { $0.int64(at: 0) }
    }

    /// Restores the reference that a row holds.
    func show(_ entry: Entry, of id: LocalID, _ viewColumn: ViewRuleColumn) throws {
        try connection.run(
            "DELETE FROM ab_hidden WHERE record = ? AND property = ?", .integer(id),
            .integer(Int64(viewColumn.column.number)))
        try connection.run(
            "UPDATE \(viewColumn.table) SET \(viewColumn.column.name) = ? WHERE ab_pk = ?",
            .integer(entry.target), .integer(id))
    }

    /// The records of a table that hide a reference in a column.
    func records(_ viewColumn: ViewRuleColumn) throws -> [LocalID] {
        guard !isEmpty else { return [] }
        return try connection.cached(
            """
            SELECT h.record FROM ab_hidden h JOIN \(viewColumn.table) t ON t.ab_pk = h.record
            WHERE h.property = ?
            """, Int64(viewColumn.column.number)
        ).map { $0.int64(at: 0) }
    }

    /// Removes the hidden references of a record that is deleted or has no row.
    func remove(of id: LocalID) throws {
        guard !isEmpty else { return }
        try connection.run("DELETE FROM ab_hidden WHERE record = ?", .integer(id))
    }

    func removeAll() throws {
        try connection.execute("DELETE FROM ab_hidden")
        isEmpty = true
    }
}
