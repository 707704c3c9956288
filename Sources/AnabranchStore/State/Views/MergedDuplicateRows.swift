import AnabranchReplication
import AnabranchSQLite

/// The duplicate sets (`ab_shadow`) and their unique keys (`ab_shadow_key`).
///
/// A set has a row for each of its members, including the surviving record. The state of all
/// members, their cells and links, is kept among the deferred rows. The surviving record's row in
/// its table is the merge of all members.
final class MergedDuplicateRows {
    private let connection: Connection
    /// True if there are no merged duplicates. The answer is kept, which saves a lookup for every
    /// change.
    private(set) lazy var isEmpty: Bool = (try? Self.isEmpty(on: connection)) ?? false

    /// Creates the access to the tables.
    ///
    /// - Parameter isUsed: False if the model has no unique keys, so that there are no duplicates.
    init(_ connection: Connection, isUsed: Bool) {
        self.connection = connection
        if !isUsed { isEmpty = true }
    }

    /// True if there are no merged duplicates.
    static func isEmpty(on connection: Connection) throws -> Bool {
        try connection.firstValue("SELECT EXISTS (SELECT 1 FROM ab_shadow)") == .integer(0)
    }

    /// SQL that excludes the rows of surviving records, which show several records.
    static let rowsOfOthers = " AND ab_pk NOT IN (SELECT record FROM ab_shadow)"
    /// SQL that excludes links that surviving records show.
    static let linksOfOthers = """
         AND left NOT IN (SELECT record FROM ab_shadow)
        AND right NOT IN (SELECT record FROM ab_shadow)
        """

    /// The surviving record of a member's set; `nil` for a record that is in no set.
    func visible(of id: LocalID) throws -> LocalID? {
        guard !isEmpty else { return nil }
        return try connection.cached("SELECT visible FROM ab_shadow WHERE record = ?", id).first {
            $0.int64(at: 0)
        }
    }

    /// The members of a set, including the surviving record.
    func members(of visible: LocalID) throws -> [LocalID] {
        let statement = try connection.cached(
            "SELECT record FROM ab_shadow WHERE visible = ? ORDER BY record", visible)
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
        return try connection.cached(
            "SELECT record FROM ab_shadow_key WHERE place = ? AND key = ?", constraint.number, key
        ).first { $0.int64(at: 0) }
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
