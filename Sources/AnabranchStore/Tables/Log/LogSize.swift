import AnabranchReplication
import AnabranchSQLite

/// The bytes that all saves in the log take, counted as the log grows: their values, and what each
/// takes besides.
///
/// The count is kept with the last position that it includes, so only later entries are counted
/// anew. A save that was rewritten counts with its former size.
struct LogSize {
    private(set) var byteCount: Int
    /// The bytes of the entries that the kept count does not include.
    private(set) var uncountedBytes = 0
    private var position: Int64

    /// The bytes that a save of one value takes in the log and its indexes besides that value:
    /// origins, digest, names and numbers.
    static let bytesEach = 250

    private static let key = "log-bytes"
    /// More bytes than a file of SQLite can hold.
    private static let greatestCount: Int64 = 1 << 50

    /// Reads the count and adds the entries that it lacks.
    init(_ connection: Connection) throws {
        (position, byteCount) = try Self.kept(connection)
        let statement = try connection.cached(
            """
            SELECT coalesce(sum(length(payload)), 0) + count(*) * \(Self.bytesEach),
            coalesce(max(position), 0) FROM ab_changeset WHERE position > ?
            """, position)
        guard try statement.step() else { return }
        uncountedBytes = Int(statement.int64(at: 0))
        let last = statement.int64(at: 1)
        statement.reset()
        uncountedBytes += try PartTable(connection).listedBytes(after: position)
        position = max(position, last)
        byteCount += uncountedBytes
    }

    private static func kept(_ connection: Connection) throws -> (Int64, Int) {
        guard let bytes = try connection.meta(key) else { return (0, 0) }
        var reader = ByteReader(bytes)
        // A damaged count is made anew from the whole log.
        guard let position = try? reader.readSigned(), let count = try? reader.readSigned(),
            (0...greatestCount).contains(count)
        else { return (0, 0) }
        return (position, Int(count))
    }

    mutating func subtract(_ bytes: Int) { byteCount = max(byteCount - bytes, 0) }

    func write(_ connection: Connection) throws {
        var writer = ByteWriter()
        writer.append(signed: position)
        writer.append(signed: Int64(byteCount))
        try connection.setMeta(Self.key, writer.bytes)
    }
}
