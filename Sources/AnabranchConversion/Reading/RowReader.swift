import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore

/// Reads the values of an entity's rows.
///
/// All columns and their conversions are found once, before the first row.
final class RowReader {
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

    let source: SourceLayout.SourceEntity
    let context: SourceContext
    /// The query of all rows, without a condition. Its first column is the primary key.
    let query: String
    private var columns: [Column] = []
    /// The values of the row that was read last, by slot.
    private(set) var row: [PropertyValue]
    /// The number of bytes of the large values that were read.
    private(set) var byteCount = 0

    init(_ source: SourceLayout.SourceEntity, _ context: SourceContext) throws {
        self.source = source
        self.context = context
        row = Array(repeating: .null, count: source.entity.slots.count)
        let external = ExternalValues(folder: context.file.files.externalFolder)
        var names: [String] = []
        var readers: [Column] = []
        for property in source.entity.slots {
            guard let name = source.columns[property.slot],
                let reader = try Self.reader(property, of: source, external, context)
            else { continue }
            names.append(name.quotedForSQL)
            readers.append(Column(slot: property.slot, position: names.count, reader: reader))
        }
        columns = readers
        let table = context.layout.roots[source.table].table.quotedName
        query = "SELECT \((["Z_PK"] + names).joined(separator: ", ")) FROM \(table)"
    }

    private static func reader(
        _ property: PropertyDescription, of source: SourceLayout.SourceEntity,
        _ external: ExternalValues, _ context: SourceContext
    ) throws -> Reader? {
        switch property {
        case .attribute(let attribute):
            guard !attribute.isTransient, !attribute.isDerived else { return nil }
            return .attribute(
                AttributeReader(attribute, of: source.entity, external: external, context.doubts),
                large: attribute.isLarge)
        case .relationship(let relationship):
            guard relationship.storage == .reference else { return nil }
            return try ReferenceReader(relationship, of: source, context).map { .reference($0) }
        }
    }

    private(set) lazy var referenceSlots: [Int] = columns.compactMap {
        if case .reference = $0.reader { $0.slot } else { nil }
    }

    /// The slots of values that may be written again without another effect, because the latest
    /// write decides. Bytes are left out for their size.
    private(set) lazy var repeatableSlots: [Int] =
        columns.map { source.entity.slots[$0.slot] }.filter { property in
            guard let attribute = property.attribute else {
                return property.wireProperty.rule == .lastWriter
            }
            return attribute.type != .binary && attribute.type != .transformable
                && (attribute.group != nil || attribute.wireProperty.rule == .lastWriter)
        }.map(\.slot)

    /// Reads the present row of a statement.
    ///
    /// - Returns: Its primary key.
    @inline(__always)
    func read(_ statement: Statement) -> Int64 {
        let key = statement.int64(at: 0)
        for column in columns {
            let found = statement.unsafeColumn(at: column.position)
            switch column.reader {
            case .reference(let reader): row[column.slot] = reader.value(of: found, key: key)
            case .attribute(let reader, let isLarge):
                let value = reader.value(of: found, key: key)
                row[column.slot] = value
                if isLarge { count(value) }
            }
        }
        return key
    }

    /// Adds the row that was read last.
    @inline(__always)
    func append(_ key: Int64, to rows: inout SlotTable) {
        let id = context.id(ofKey: key, inTable: source.table)
        row.withUnsafeBufferPointer { rows.append(id, $0) }
    }

    /// Adds the row that was read last to an update.
    func append(_ key: Int64, to update: inout SaveRequest.Update) {
        let id = context.id(ofKey: key, inTable: source.table)
        row.withUnsafeBufferPointer { update.append(id, .none, $0) }
    }

    /// Sets a reference of the row to nothing.
    func clear(_ slot: Int) { row[slot] = .null }

    private func count(_ value: PropertyValue) {
        switch value {
        case .string(let text): byteCount += text.utf8.count
        case .data(let data): byteCount += data.count
        default: break
        }
    }
}

extension AttributeDescription {
    /// True if a value may have many bytes.
    fileprivate var isLarge: Bool { [.string, .binary, .transformable].contains(type) }
}
