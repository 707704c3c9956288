import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// A uniqueness constraint of a model, with the columns of its keys.
final class UniqueConstraint: Sendable {
    /// The constraint's index among the constraints of the model.
    let number: Int64
    /// The entity that declares the constraint, which applies to its objects and those of its
    /// sub-entities.
    let owner: EntityDescription
    /// The table's name, quoted for SQL.
    let table: String
    let columns: [TableLayout.Column]
    let attributes: [AttributeDescription]

    /// Creates a constraint.
    ///
    /// - Returns: `nil` if an attribute is not stored.
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

    /// The columns, qualified with a table alias, as SQL.
    func names(_ alias: String) -> String {
        columns.map { "\(alias).\($0.name)" }.joined(separator: ", ")
    }

    /// The wire properties of the key.
    var wireProperties: [WireProperty] { columns.map(\.property.wireProperty) }

    /// The columns in the form that GROUP BY takes.
    var grouping: String {
        columns.map { "\($0.name)\($0.kind.collation)" }.joined(separator: ", ")
    }

    /// The SQL condition that two rows have equal keys. SQL may find values equal although their
    /// bytes differ.
    func equality(_ left: String, _ right: String) -> String {
        columns.map { "\(left).\($0.name) = \(right).\($0.name)\($0.kind.collation)" }
            .joined(separator: " AND ")
    }

    /// The bytes of the key in a statement's current row, one column after the other.
    ///
    /// - Returns: `nil` if a column is null, because null equals nothing.
    func key(_ statement: Statement, at first: Int) -> [UInt8]? {
        var writer = ByteWriter()
        for (index, column) in columns.enumerated() {
            let value = statement.slot(at: first + index, as: column.kind)
            guard !value.isNull else { return nil }
            writer.append(tagged: value)
        }
        return writer.bytes
    }
}
