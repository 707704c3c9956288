import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore

/// Reads the rows of one entity, in the order of their primary keys.
///
/// All columns and their conversions are found once, before the first row.
final class EntityRows {
    private enum Reader {
        case attribute(AttributeReader, large: Bool)
        case reference(ReferenceReader)
    }

    private struct Column {
        let slot: Int
        /// The position among the statement's columns.
        let position: Int
        let reader: Reader
    }

    private let source: SourceLayout.SourceEntity
    private let context: SourceContext
    private let statement: Statement
    private var columns: [Column] = []
    private var row: [Value]
    private var isAtEnd = false

    /// The number of bytes of large values after which a piece ends.
    private static let largestPiece = 8 << 20

    init(_ source: SourceLayout.SourceEntity, _ context: SourceContext) throws {
        self.source = source
        self.context = context
        row = Array(repeating: .null, count: source.entity.slots.count)
        let external = ExternalValues(folder: context.file.files.externalFolder)
        var names: [String] = []
        var readers: [Column] = []
        for property in source.entity.slots {
            guard let name = source.columns[property.slot],
                let reader = try Self.reader(property, of: source.entity, external, context)
            else { continue }
            names.append(name.quotedForSQL)
            readers.append(Column(slot: property.slot, position: names.count, reader: reader))
        }
        columns = readers
        let table = context.layout.roots[source.table].table.quotedName
        statement = try context.file.connection.prepare(
            """
            SELECT \((["Z_PK"] + names).joined(separator: ", ")) FROM \(table)
            WHERE \(source.condition) ORDER BY Z_PK
            """)
    }

    private static func reader(
        _ property: PropertyDescription, of entity: EntityDescription, _ external: ExternalValues,
        _ context: SourceContext
    ) throws -> Reader? {
        switch property {
        case .attribute(let attribute):
            guard !attribute.isTransient, !attribute.isDerived else { return nil }
            let isLarge = [.string, .binary, .transformable].contains(attribute.type)
            return .attribute(
                AttributeReader(attribute, of: entity, external: external, context.doubts),
                large: isLarge)
        case .relationship(let relationship):
            guard relationship.storage == .reference else { return nil }
            return try ReferenceReader(relationship, of: entity, context).map { .reference($0) }
        }
    }

    /// Reads the next rows; `nil` after the last.
    ///
    /// - Parameter limit: The greatest number of rows.
    func next(_ limit: Int) throws -> SaveRequest.Insert? {
        guard !isAtEnd else { return nil }
        var insert = SaveRequest.Insert(entity: source.entity)
        var byteCount = 0
        while insert.rows.count < limit, byteCount < Self.largestPiece {
            guard try statement.step() else {
                isAtEnd = true
                break
            }
            let key = statement.int64(at: 0)
            for column in columns {
                row[column.slot] = value(of: column, key, &byteCount)
            }
            let id = context.id(ofKey: key, inTable: source.table)
            row.withUnsafeBufferPointer { insert.rows.append(id, $0) }
        }
        return insert.rows.isEmpty ? nil : insert
    }

    @inline(__always)
    private func value(of column: Column, _ key: Int64, _ byteCount: inout Int) -> Value {
        let found = statement.unsafeColumn(at: column.position)
        switch column.reader {
        case .reference(let reader): return reader.value(of: found, key: key)
        case .attribute(let reader, let isLarge):
            let value = reader.value(of: found, key: key)
            guard isLarge else { return value }
            switch value {
            case .string(let text): byteCount += text.utf8.count
            case .data(let data): byteCount += data.count
            default: break
            }
            return value
        }
    }
}
