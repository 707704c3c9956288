import AnabranchReplication
import AnabranchSQLite

/// Which records show as one (`ab_shadow`), and by which keys (`ab_shadow_key`).
///
/// A group has a row for each of its members, the visible one included. The state of all of them,
/// cells and links, stands among the deferred rows; the visible one's row in its table is what they
/// show together.
final class ShadowRows {
    private let connection: Connection
    /// Asking once spares every change of a store without duplicates a look-up.
    private(set) lazy var isEmpty: Bool = (try? Self.isEmpty(on: connection)) ?? false

    /// - Parameter isUsed: Whether the model has unique keys; without, there are no shadows.
    init(_ connection: Connection, isUsed: Bool) {
        self.connection = connection
        if !isUsed { isEmpty = true }
    }

    /// Also where the table is not there: the file was made before there were shadows.
    static func isEmpty(on connection: Connection) throws -> Bool {
        do {
            return try connection.firstValue("SELECT EXISTS (SELECT 1 FROM ab_shadow)")
                == .integer(0)
        } catch let error as SQLiteError where error.code == .error {
            return true
        }
    }

    /// SQL that leaves out rows which show several records, of a table or of its own alias.
    static let rowsOfOthers = " AND ab_pk NOT IN (SELECT record FROM ab_shadow)"
    /// SQL that leaves out links between those who show others.
    static let linksOfOthers = """
         AND left NOT IN (SELECT record FROM ab_shadow)
        AND right NOT IN (SELECT record FROM ab_shadow)
        """

    /// The record that shows a member; `nil` of a record that shows itself alone.
    func visible(of id: LocalID) throws -> LocalID? {
        guard !isEmpty else { return nil }
        let statement = try connection.cached("SELECT visible FROM ab_shadow WHERE record = ?")
        try statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return statement.int64(at: 0)
    }

    /// The visible one among them.
    func members(of visible: LocalID) throws -> [LocalID] {
        let statement = try connection.cached(
            "SELECT record FROM ab_shadow WHERE visible = ? ORDER BY record")
        try statement.bind(visible, at: 1)
        return try ids(statement)
    }

    func allVisible() throws -> [LocalID] {
        guard !isEmpty else { return [] }
        return try ids(connection.cached("SELECT DISTINCT visible FROM ab_shadow"))
    }

    private func ids(_ statement: Statement) throws -> [LocalID] {
        var found: [LocalID] = []
        while try statement.step() { found.append(statement.int64(at: 0)) }
        return found
    }

    /// A member that holds a key.
    func holder(of key: [UInt8], _ constraint: UniqueConstraint) throws -> LocalID? {
        guard !isEmpty else { return nil }
        let statement = try connection.cached(
            "SELECT record FROM ab_shadow_key WHERE place = ? AND key = ?")
        try statement.bind(constraint.number, at: 1)
        try statement.bind(key, at: 2)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return statement.int64(at: 0)
    }

    func add(_ id: LocalID, visible: LocalID) throws {
        isEmpty = false
        try connection.run(
            "INSERT INTO ab_shadow (record, visible) VALUES (?, ?)", .integer(id),
            .integer(visible))
    }

    func add(_ key: [UInt8], _ constraint: UniqueConstraint, of id: LocalID) throws {
        try connection.run(
            "INSERT INTO ab_shadow_key (place, key, record) VALUES (?, ?, ?)",
            .integer(constraint.number), .blob(key), .integer(id))
    }

    func remove(_ members: [LocalID]) throws {
        for id in members {
            try connection.run("DELETE FROM ab_shadow WHERE record = ?", .integer(id))
            try connection.run("DELETE FROM ab_shadow_key WHERE record = ?", .integer(id))
        }
    }

    func removeAll() throws {
        guard !isEmpty else { return }
        try connection.execute("DELETE FROM ab_shadow; DELETE FROM ab_shadow_key")
        isEmpty = true
    }
}
