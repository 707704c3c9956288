import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// A uniqueness constraint of a model, with the columns of its keys.
final class UniqueConstraint: Sendable {
    /// Its place among the model's.
    let number: Int64
    /// Among whose objects, and those below it, the constraint holds.
    let owner: EntityDescription
    /// Quoted for SQL.
    let table: String
    let columns: [TableLayout.Column]
    let attributes: [AttributeDescription]

    /// - Returns: `nil` where an attribute is not stored.
    init?(
        _ attributes: [AttributeDescription], of owner: EntityDescription, number: Int,
        _ table: TableLayout
    ) {
        let columns = attributes.compactMap { attribute in
            table.columns.first { $0.property == .attribute(attribute) }
        }
        guard !columns.isEmpty, columns.count == attributes.count else { return nil }
        self.number = Int64(number)
        self.owner = owner
        self.table = table.name
        self.columns = columns
        self.attributes = attributes
    }

    /// The columns as SQL.
    func names(_ alias: String) -> String {
        columns.map { "\(alias).\($0.name)" }.joined(separator: ", ")
    }

    /// As they travel.
    var wireProperties: [WireProperty] { columns.map(\.property.wireProperty) }

    /// The columns as SQL groups by them.
    var grouping: String {
        columns.map { "\($0.name)\($0.kind.collation)" }.joined(separator: ", ")
    }

    /// That two rows have columns that SQL finds equal; their bytes may differ all the same.
    func equality(_ left: String, _ right: String) -> String {
        columns.map { "\(left).\($0.name) = \(right).\($0.name)\($0.kind.collation)" }
            .joined(separator: " AND ")
    }

    /// The bytes of the key that a statement stands on, one column behind the other.
    ///
    /// - Returns: `nil` where one is null, which equals nothing.
    func key(_ statement: Statement, at first: Int) -> [UInt8]? {
        var writer = ByteWriter()
        for (index, column) in columns.enumerated() {
            let value = statement.slot(at: first + index, as: column.kind)
            guard !value.isNull else { return nil }
            writer.append(tagged: value)
        }
        return writer.bytes
    }

    /// - Parameter records: What was written, and who holds its key.
    func conflict(of records: [LocalID], in entity: EntityDescription? = nil) -> StoreError {
        KeyConflicts([KeyConflict(attributes: attributes, owner: owner, records: records)])
            .error(in: entity ?? owner)
    }
}
