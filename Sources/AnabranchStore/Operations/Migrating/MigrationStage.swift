import AnabranchReplication
import AnabranchSQLite

/// The merged state of a file as encoded chunks, in a temporary table, while the file has no tables
/// for it.
///
/// All records come before all links, because a link is kept only if both its ends are held.
struct MigrationStage {
    private let connection: Connection
    private let table: String
    private var records = SnapshotChunkEncoder()
    private var links = SnapshotChunkEncoder()

    private enum Part: Int64 { case records, links }

    private static let chunkBytes = 1 << 20
    private static let chunkCells = 1 << 20

    /// Creates the table.
    ///
    /// - Parameter name: A name that no other stage of the connection has.
    init(_ connection: Connection, named name: String = "ab_migration") throws {
        self.connection = connection
        table = "temp.\(name)"
        try connection.execute(
            "CREATE TEMP TABLE \(name) (id INTEGER PRIMARY KEY, part INTEGER, bytes BLOB)")
    }

    mutating func append(_ record: CanonicalRecord) throws {
        var alone = record
        alone.links = []
        records.append(alone)
        try flush(&records, as: .records, ifFull: true)
        for link in record.links {
            links.append(
                .init(left: record.id, right: link.right, tags: link.tags), of: link.property)
        }
        try flush(&links, as: .links, ifFull: true)
    }

    mutating func append(_ link: SnapshotChunk.Link, of property: WireProperty) throws {
        links.append(link, of: property)
        try flush(&links, as: .links, ifFull: true)
    }

    /// Writes what the chunks hold. Call it after the last record.
    mutating func finish() throws {
        try flush(&records, as: .records, ifFull: false)
        try flush(&links, as: .links, ifFull: false)
    }

    private func flush(_ chunk: inout SnapshotChunkEncoder, as part: Part, ifFull: Bool) throws {
        let isFull = chunk.byteCount >= Self.chunkBytes || chunk.cellCount >= Self.chunkCells
        guard ifFull ? isFull : !chunk.isEmpty else { return }
        let full = chunk
        chunk = SnapshotChunkEncoder()
        try connection.run(
            "INSERT INTO \(table) (part, bytes) VALUES (?, ?)", .integer(part.rawValue),
            .blob(full.finish()))
    }

    /// Calls the body for each chunk, and removes the table.
    ///
    /// - Parameter body: Also gets the part of the chunks that came before, from 0 to 1.
    func drain(_ body: (SnapshotChunk, Double) throws -> Void) throws {
        let ids = try connection.rows("SELECT id FROM \(table) ORDER BY part, id")
        for (place, row) in ids.enumerated() {
            guard
                case .blob(let bytes)? = try connection.firstValue(
                    "SELECT bytes FROM \(table) WHERE id = ?", row[0])
            else { continue }
            try body(SnapshotChunk(decoding: bytes), Double(place) / Double(ids.count))
        }
        try connection.execute("DROP TABLE \(table)")
    }
}
