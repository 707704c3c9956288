import AnabranchReplication
import AnabranchSQLite

extension DeferredRows {
    /// Changes the tags of a link of an unknown relationship.
    func changeLink(
        _ property: WireProperty, left: LocalID, right: LocalID, replicas: ReplicaTable,
        _ merge: (inout LinkTags) -> Bool
    ) throws {
        var tags = replicas.linkTags(try tags(property, left: left, right: right))
        guard merge(&tags) else { return }
        try setTags(try transaction.localTags(tags), property, left: left, right: right)
    }

    /// True if a link is among the deferred rows.
    func hasLink(_ property: WireProperty, left: LocalID, right: LocalID) throws -> Bool {
        guard !isEmpty else { return false }
        return try connection.cached(Self.findingLink, left, property.columns, right).step()
    }

    private static let fromLink = """
        FROM ab_deferred_link
        WHERE left = ? AND name = ? AND type = ? AND rule = ? AND right = ?
        """
    private static let findingLink = "SELECT 1 \(fromLink)"
    private static let readingTags = "SELECT tag, tag_by, more \(fromLink)"
    private static let removingLink = "DELETE \(fromLink)"

    /// The deferred links of which a record is an end.
    func links(of id: LocalID) throws -> [(property: WireProperty, link: LinkRows.Row)] {
        guard !isEmpty else { return [] }
        let statement = try connection.cached(
            """
            SELECT name, type, rule, left, right, tag, tag_by, more FROM ab_deferred_link
            WHERE left = ?1 OR right = ?1
            """, id)
        var links: [(property: WireProperty, link: LinkRows.Row)] = []
        while try statement.step() {
            let property = Self.property(statement)
            let link = LinkRows.Row(
                left: statement.int64(at: 3), right: statement.int64(at: 4),
                tags: try Self.tags(of: statement, at: 5, property))
            links.append((property, link))
        }
        return links
    }

    /// The tags of a link; none if it is not among the deferred rows.
    func tags(_ property: WireProperty, left: LocalID, right: LocalID) throws -> [LocalTag] {
        try connection.cached(Self.readingTags, left, property.columns, right)
            .first { try Self.tags(of: $0, at: 0, property) } ?? []
    }

    /// Reads the columns `tag`, `tag_by` and `more`. In a list, `more` begins with the position of
    /// the tag in the first two columns.
    static func tags(
        of statement: Statement, at column: Int, _ property: WireProperty
    ) throws -> [LocalTag] {
        guard property.rule == .list else {
            return try LinkRows.tags(of: statement, at: column, isList: false)
        }
        var more = ByteReader(statement.bytes(at: column + 2))
        let tag = LocalTag(stamp: try statement.localStamp(at: column), place: try more.readPlace())
        return [tag] + (try LinkRows.tags(&more, isList: true))
    }

    private static func more(_ tags: [LocalTag], _ property: WireProperty) -> [UInt8]? {
        guard property.rule == .list else {
            return tags.count > 1 ? LinkRows.more(tags.dropFirst(), isList: false) : nil
        }
        var writer = ByteWriter()
        writer.append(place: tags.first?.place ?? .none)
        return writer.bytes + LinkRows.more(tags.dropFirst(), isList: true)
    }

    /// Inserts a link, changes its tags, or removes it if no tag is left.
    ///
    /// - Parameter tags: The tags in ascending order.
    func setTags(
        _ tags: [LocalTag], _ property: WireProperty, left: LocalID, right: LocalID
    ) throws {
        isEmpty = false
        guard let first = tags.first else {
            return try connection.cached(Self.removingLink, left, property.columns, right).run()
        }
        let statement = try connection.cached(
            """
            INSERT INTO ab_deferred_link (left, name, type, rule, right, tag, tag_by, more)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (left, name, type, rule, right)
            DO UPDATE SET tag = excluded.tag, tag_by = excluded.tag_by, more = excluded.more
            """, left, property.columns, right)
        try statement.bind(first.stamp, Self.more(tags, property), from: 6)
        try statement.run()
    }
}
