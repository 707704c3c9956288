import AnabranchSQLite
import AnabranchStore

/// The greatest size of a piece of a save.
enum PieceLimits {
    static let rowCount = 8192
    /// The number of bytes of large values after which a piece ends.
    static let byteCount = 8 << 20
}

/// Reads the rows of one entity, in the order of their primary keys.
final class EntityRows {
    private let reader: RowReader
    private let statement: Statement
    private let isWanted: ((Int64) -> Bool)?
    private let change: ((Int64) -> Void)?
    private var isAtEnd = false

    /// Prepares the reading of an entity.
    ///
    /// - Parameters:
    ///   - isWanted: Says of a primary key whether its row is read; `nil` reads all rows.
    ///   - change: Called when the reader has the values of a row, before they are added.
    init(
        _ reader: RowReader, where isWanted: ((Int64) -> Bool)? = nil,
        change: ((Int64) -> Void)? = nil
    ) throws {
        self.reader = reader
        self.isWanted = isWanted
        self.change = change
        statement = try reader.context.file.connection.prepare(
            "\(reader.query) WHERE \(reader.source.condition) ORDER BY Z_PK")
    }

    /// Reads the next rows; `nil` after the last.
    func next() throws -> SaveRequest.Insert? {
        guard !isAtEnd else { return nil }
        var insert = SaveRequest.Insert(entity: reader.source.entity)
        let limit = reader.byteCount + PieceLimits.byteCount
        while insert.rows.count < PieceLimits.rowCount, reader.byteCount < limit {
            guard try statement.step() else {
                isAtEnd = true
                break
            }
            if let isWanted, !isWanted(statement.int64(at: 0)) { continue }
            let key = reader.read(statement)
            change?(key)
            reader.append(key, to: &insert.rows)
        }
        return insert.rows.isEmpty ? nil : insert
    }
}
