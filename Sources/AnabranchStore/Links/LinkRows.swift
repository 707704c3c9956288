import AnabranchReplication
import AnabranchSQLite

/// The rows of link tables on one connection.
///
/// A row has the tag of the first add; tags of concurrent adds stand in `more`, each as a
/// distance and an ordinal in varints, so a link that was added once costs no blob.
struct LinkRows {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// - Returns: Nothing where there is no such link.
    func tags(
        left: LocalID, right: LocalID, in layout: LinkLayout
    ) throws -> [LocalStamp] {
        let statement = try connection.cached(
            "SELECT tag, tag_by, more FROM \(layout.name) WHERE left = ? AND right = ?")
        try statement.bind(left, at: 1)
        try statement.bind(right, at: 2)
        guard try statement.step() else { return [] }
        defer { statement.reset() }
        return try Self.tags(of: statement, at: 0)
    }

    /// Reads three columns: `tag`, `tag_by`, `more`.
    static func tags(of statement: Statement, at column: Int) throws -> [LocalStamp] {
        var tags = [
            LocalStamp(
                timestamp: UInt64(bitPattern: statement.int64(at: column)),
                ordinal: statement.int64(at: column + 1))
        ]
        if !statement.isNull(at: column + 2) {
            tags += try stamps(statement.bytes(at: column + 2))
        }
        return tags
    }

    /// Reads what ``more(_:)`` has written.
    static func stamps(_ bytes: [UInt8]) throws -> [LocalStamp] {
        var reader = ByteReader(bytes)
        var stamps: [LocalStamp] = []
        while !reader.isAtEnd {
            let timestamp = try reader.readVarint()
            stamps.append(
                LocalStamp(
                    timestamp: timestamp, ordinal: Int64(clamping: try reader.readVarint())))
        }
        return stamps
    }

    static func more(_ tags: some Sequence<LocalStamp>) -> [UInt8] {
        var writer = ByteWriter()
        for tag in tags {
            writer.append(varint: tag.timestamp)
            writer.append(varint: UInt64(tag.ordinal))
        }
        return writer.bytes
    }

    /// Makes the row, changes its tags, or removes it where none is left.
    func set(
        _ tags: [LocalStamp], left: LocalID, right: LocalID, in layout: LinkLayout
    ) throws {
        guard let first = tags.first else {
            try connection.run(
                "DELETE FROM \(layout.name) WHERE left = ? AND right = ?", .integer(left),
                .integer(right))
            return
        }
        let statement = try connection.cached(
            """
            INSERT INTO \(layout.name) (left, right, tag, tag_by, more) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (left, right) DO UPDATE
            SET tag = excluded.tag, tag_by = excluded.tag_by, more = excluded.more
            """)
        try statement.bind(left, at: 1)
        try statement.bind(right, at: 2)
        try statement.bind(Int64(bitPattern: first.timestamp), at: 3)
        try statement.bind(first.ordinal, at: 4)
        if tags.count > 1 {
            try statement.bind(Self.more(tags.dropFirst()), at: 5)
        } else {
            try statement.bindNull(at: 5)
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

    /// A link that is there.
    struct Row {
        let left: LocalID
        let right: LocalID
        let tags: [LocalStamp]
    }

    /// The links that a record is an end of.
    func all(of record: LocalID, in layout: LinkLayout) throws -> [Row] {
        let statement = try connection.cached(
            """
            SELECT left, right, tag, tag_by, more FROM \(layout.name) WHERE left = ?1
            UNION SELECT left, right, tag, tag_by, more FROM \(layout.name) WHERE right = ?1
            """)
        try statement.bind(record, at: 1)
        var rows: [Row] = []
        while try statement.step() {
            rows.append(
                Row(
                    left: statement.int64(at: 0), right: statement.int64(at: 1),
                    tags: try Self.tags(of: statement, at: 2)))
        }
        return rows
    }

    /// Removes every link of a record, whatever its entity.
    func removeAll(of record: LocalID, in layouts: [LinkLayout]) throws {
        for links in layouts {
            try connection.run(
                "DELETE FROM \(links.name) WHERE left = ?1 OR right = ?1", .integer(record))
        }
    }
}
