import AnabranchReplication
import AnabranchSQLite

/// The SQL function that updates `ab_writes` where the row is, so that nobody reads it first.
enum WriteFunctions {
    /// Defines `ab_written(ab_writes, ab_version, position, properties)`: what `ab_writes` becomes
    /// when the set at a position of the log writes some properties, a blob of their numbers as
    /// varints.
    static func define(on connection: Connection) throws {
        try connection.createFunction(
            "ab_written", argumentCount: 4, traits: [.deterministic]
        ) { arguments in
            let version = RowVersion(arguments.int64(at: 1))
            var writes =
                arguments.isNull(at: 0)
                ? try RowWrites(version, nil)
                : try arguments.withBytes(at: 0) { try RowWrites(version, $0) }
            var properties = ByteReader(arguments.withBytes(at: 3) { [UInt8]($0) })
            while !properties.isAtEnd {
                try writes.write(
                    Int(clamping: try properties.readVarint()), by: arguments.int64(at: 2))
            }
            return writes.blob.map(SQLiteValue.blob) ?? .null
        }
    }
}
