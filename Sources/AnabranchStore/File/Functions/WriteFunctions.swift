import AnabranchReplication
import AnabranchSQLite

/// The SQL function that updates `ab_writes` inside a statement, so that no separate read is
/// needed.
enum WriteFunctions {
    /// Defines `ab_written(ab_writes, ab_version, position, properties)`.
    ///
    /// It returns the new `ab_writes` after the change set at a position writes some properties.
    /// `properties` is a blob of property numbers as varints.
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
