import AnabranchSQLite
import AnabranchStore

/// Reads rows of one entity by their primary keys.
final class NamedRows {
    let reader: RowReader
    private let statement: Statement

    init(_ reader: RowReader) throws {
        self.reader = reader
        statement = try reader.context.file.connection.prepare("\(reader.query) WHERE Z_PK = ?")
    }

    /// Reads a row into the reader.
    ///
    /// - Returns: False if there is no such row.
    func read(_ key: Int64) throws -> Bool {
        try statement.bind(key, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return false }
        _ = reader.read(statement)
        return true
    }

    /// Reads a row that was read before. What is doubtful in it is known already.
    func readAgain(_ key: Int64) throws -> Bool {
        let doubts = reader.context.doubts
        doubts.isReadingAgain = true
        defer { doubts.isReadingAgain = false }
        return try read(key)
    }
}
