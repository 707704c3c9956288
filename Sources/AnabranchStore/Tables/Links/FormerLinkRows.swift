import AnabranchReplication
import AnabranchSQLite

/// The links that former relationships have in deferred rows and in the columns of dropped to-ones
/// (`ab_former_link`), and the rows of link tables that only they show.
///
/// The table follows from these rows, and is no part of the state. It answers which records
/// point to a record.
struct FormerLinkRows {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// One former link.
    struct Link: Hashable {
        let owner: LocalID
        /// The wire name of the relationship on the owner's side.
        let name: WireName
        let other: LocalID
    }

    static func isEmpty(on connection: Connection) throws -> Bool {
        try connection.firstValue("SELECT EXISTS (SELECT 1 FROM ab_former_link)") == .integer(0)
    }

    /// Adds former links of one property by one statement.
    struct Insertion {
        fileprivate let statement: Statement

        /// Adds a link unless it is there.
        func add(_ owner: LocalID, _ other: LocalID) throws {
            try statement.bind(owner, at: 1)
            try statement.bind(other, at: 3)
            try statement.run()
        }
    }

    func insertion(of name: WireName) throws -> Insertion {
        let statement = try connection.cached(
            "INSERT OR IGNORE INTO ab_former_link (owner, name, other) VALUES (?, ?, ?)")
        try statement.bind(name.string, at: 2)
        return Insertion(statement: statement)
    }

    /// Adds the references that the rows of an entity have in the column of a dropped to-one.
    ///
    /// A deferred cell of the to-one takes the place of a row's reference.
    func add(_ dropped: DroppedColumn, of layout: EntityLayout) throws {
        let discriminator = layout.table.hasDiscriminator ? "t.ab_entity" : "\(layout.number)"
        let statement = try connection.prepare(
            """
            INSERT OR IGNORE INTO ab_former_link (owner, name, other)
            SELECT t.ab_pk, ?1, t.\(dropped.name) FROM \(layout.table.name) t
            WHERE t.\(dropped.name) IS NOT NULL AND \(discriminator) = ?4 AND NOT EXISTS (
                SELECT 1 FROM ab_deferred_cell d
                WHERE d.record = t.ab_pk AND d.name = ?1 AND d.type = ?2 AND d.rule = ?3)
            """)
        try statement.bind(dropped.wire.columns, layout.number)
        try statement.run()
    }

    func removeAll(ownedBy id: LocalID) throws {
        try connection.run("DELETE FROM ab_former_link WHERE owner = ?", .integer(id))
    }

    func removeAll() throws { try connection.execute("DELETE FROM ab_former_link") }

    /// The records that own former links.
    func owners() throws -> [LocalID] {
        try connection.prepare("SELECT DISTINCT owner FROM ab_former_link").map { $0.int64(at: 0) }
    }

    /// The former links of which a record is an end.
    func links(of id: LocalID) throws -> [Link] {
        try connection.cached(
            """
            SELECT owner, name, other FROM ab_former_link WHERE owner = ?1
            UNION SELECT owner, name, other FROM ab_former_link WHERE other = ?1
            """, id
        ).map {
            Link(owner: $0.int64(at: 0), name: WireName($0.string(at: 1)), other: $0.int64(at: 2))
        }
    }

    /// The former links between two records, whichever of them is the owner.
    func links(between first: LocalID, _ second: LocalID) throws -> [Link] {
        try links(of: first).filter {
            $0.owner == first && $0.other == second || $0.owner == second && $0.other == first
        }
    }

    // MARK: - Rows of link tables

    /// The ends of the links of a record that only former relationships show.
    func shown(of id: LocalID, in layout: LinkLayout) throws -> [(left: LocalID, right: LocalID)] {
        try connection.cached(
            """
            SELECT left, right FROM \(layout.name) WHERE left = ?1 AND tag IS NULL
            UNION SELECT left, right FROM \(layout.name) WHERE right = ?1 AND tag IS NULL
            """, id
        ).map { ($0.int64(at: 0), $0.int64(at: 1)) }
    }

    /// Shows a link unless it shows already.
    ///
    /// - Parameter place: The positions of the ends in a list.
    /// - Returns: True if it did not show.
    func show(
        left: LocalID, right: LocalID, at place: LinkPosition, in layout: LinkLayout
    ) throws -> Bool {
        let isShown = try connection.cached(
            "SELECT 1 FROM \(layout.name) WHERE left = ? AND right = ?", left, right
        ).step()
        guard !isShown else { return false }
        let columns = "left, right" + (layout.isList ? ", left_position, right_position" : "")
        let statement = try connection.cached(
            "INSERT INTO \(layout.name) (\(columns)) VALUES (?, ?\(layout.isList ? ", ?, ?" : ""))",
            left, right)
        if layout.isList {
            try statement.bind(place.inLeft?.bytes, place.inRight?.bytes, from: 3)
        }
        try statement.run()
        return true
    }

    /// Removes a row that has no tag.
    func hide(left: LocalID, right: LocalID, in layout: LinkLayout) throws {
        try connection.run(
            "DELETE FROM \(layout.name) WHERE left = ? AND right = ? AND tag IS NULL",
            .integer(left), .integer(right))
    }

    /// Removes all rows that have no tag.
    func hideAll(in layouts: [LinkLayout]) throws {
        for layout in layouts {
            try connection.execute("DELETE FROM \(layout.name) WHERE tag IS NULL")
        }
    }
}
