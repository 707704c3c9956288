import AnabranchReplication
import AnabranchSQLite

/// The rows of link tables on one connection.
///
/// A row has the tag of the first add. Tags of concurrent adds are in `more`, each as a timestamp
/// and an ordinal in varints, so a link that was added once needs no blob. In a list the row has
/// the greatest tag, with its position in two columns. In `more` each tag of a list is followed by
/// its position.
///
/// A row without a tag is no link of the state: a former relationship shows it.
struct LinkRows {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// The tags of a link.
    ///
    /// - Returns: An empty array if there is no such link.
    func tags(left: LocalID, right: LocalID, in layout: LinkLayout) throws -> [LocalTag] {
        try connection.cached(
            "SELECT \(layout.tagColumns) FROM \(layout.name) WHERE left = ? AND right = ?", left,
            right
        ).first { try Self.tags(of: $0, at: 0, isList: layout.isList) } ?? []
    }

    /// Reads the columns `tag`, `tag_by` and `more`, and in a list also the two position columns.
    ///
    /// - Returns: An empty array if only a former relationship shows the link.
    static func tags(of statement: Statement, at column: Int, isList: Bool) throws -> [LocalTag] {
        guard !statement.isNull(at: column) else { return [] }
        var tag = LocalTag(stamp: try statement.localStamp(at: column))
        var more = ByteReader(
            statement.isNull(at: column + 2) ? [] : statement.bytes(at: column + 2))
        if isList { tag.place = place(of: statement, at: column + 3) }
        return [tag] + (try tags(&more, isList: isList))
    }

    private static func place(of statement: Statement, at column: Int) -> LinkPosition {
        func position(_ column: Int) -> ListPosition? {
            statement.isNull(at: column) ? nil : ListPosition(bytes: statement.bytes(at: column))
        }
        return LinkPosition(inLeft: position(column), inRight: position(column + 1))
    }

    /// Decodes stamps that have no positions.
    static func stamps(_ bytes: [UInt8]) throws -> [LocalStamp] {
        var reader = ByteReader(bytes)
        return try tags(&reader, isList: false).map(\.stamp)
    }

    /// Decodes tags that `more(_:isList:)` encoded.
    static func tags(_ reader: inout ByteReader, isList: Bool) throws -> [LocalTag] {
        var tags: [LocalTag] = []
        while !reader.isAtEnd {
            let timestamp = try reader.readVarint()
            let ordinal = Int64(clamping: try reader.readVarint())
            tags.append(
                LocalTag(
                    stamp: LocalStamp(timestamp: timestamp, ordinal: ordinal),
                    place: isList ? try reader.readPlace() : .none))
        }
        return tags
    }

    static func more(_ stamps: some Sequence<LocalStamp>) -> [UInt8] {
        more(stamps.map { LocalTag(stamp: $0) }, isList: false)
    }

    static func more(_ tags: some Sequence<LocalTag>, isList: Bool) -> [UInt8] {
        var writer = ByteWriter()
        for tag in tags {
            writer.append(varint: tag.stamp.timestamp)
            writer.append(varint: UInt64(tag.stamp.ordinal))
            if isList { writer.append(place: tag.place) }
        }
        return writer.bytes
    }

    /// Inserts the row, changes its tags, or removes it if no tag is left.
    ///
    /// - Parameter tags: The tags in ascending order.
    func set(_ tags: [LocalTag], left: LocalID, right: LocalID, in layout: LinkLayout) throws {
        let isList = layout.isList
        guard let shown = isList ? tags.last : tags.first else {
            try connection.run(
                "DELETE FROM \(layout.name) WHERE left = ? AND right = ?", .integer(left),
                .integer(right))
            return
        }
        let statement = try connection.cached(layout.upsertSQL, left, right, shown.stamp)
        let others = isList ? tags.dropLast() : tags.dropFirst()
        try statement.bind(others.isEmpty ? nil : Self.more(others, isList: isList), at: 5)
        if isList {
            try statement.bind(shown.place.inLeft?.bytes, shown.place.inRight?.bytes, from: 6)
        }
        try statement.run()
    }

    /// Statements that remove every link of a record of an entity; parameter 1 is the record.
    func removal(from layout: EntityLayout) throws -> [Statement] {
        try layout.leftLinks.map {
            try connection.cached("DELETE FROM \($0.name) WHERE left = ?")
        }
            + layout.rightLinks.map {
                try connection.cached("DELETE FROM \($0.name) WHERE right = ?")
            }
    }

    /// One stored link.
    struct Row {
        let left: LocalID
        let right: LocalID
        let tags: [LocalTag]
    }

    /// The links that a record is an end of.
    func all(of record: LocalID, in layout: LinkLayout) throws -> [Row] {
        try connection.cached(
            """
            SELECT left, right, \(layout.tagColumns) FROM \(layout.name) WHERE left = ?1
            UNION SELECT left, right, \(layout.tagColumns) FROM \(layout.name) WHERE right = ?1
            """, record
        ).map {
            Row(
                left: $0.int64(at: 0), right: $0.int64(at: 1),
                tags: try Self.tags(of: $0, at: 2, isList: layout.isList))
        }
    }

    /// Removes every link of a record, whatever its entity.
    func removeAll(of record: LocalID, in layouts: [LinkLayout]) throws {
        for links in layouts {
            try connection.run(
                "DELETE FROM \(links.name) WHERE left = ?1 OR right = ?1", .integer(record))
        }
    }
}

/// A tag of a link that names its replica by the ordinal in this file.
struct LocalTag: Hashable {
    var stamp: LocalStamp
    var place: LinkPosition = .none
}

extension ReplicaTable {
    func linkTags(_ tags: [LocalTag]) -> LinkTags {
        LinkTags(
            placed: tags.compactMap { tag in
                stamps([tag.stamp]).first.map { LinkTags.Tag($0, at: tag.place) }
            })
    }
}

extension WriteTransaction {
    func localTags(_ tags: LinkTags) throws -> [LocalTag] {
        try tags.all.map { LocalTag(stamp: try localStamp($0.stamp), place: $0.place) }
    }
}
