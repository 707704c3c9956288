package import AnabranchModel
import AnabranchReplication

/// Where the objects of one entity are, with the SQL that is always the same.
package final class EntityLayout: Sendable {
    package let entity: EntityDescription
    package let table: TableLayout
    /// The discriminator's value.
    package let number: Int64
    /// In slot order.
    package let columns: [TableLayout.Column]
    /// In the order of their first slots.
    let properties: [TableLayout.Property]
    /// References of which a view rule may hide the target.
    let ruledColumns: [RuledColumn]
    /// That hold for the entity's records.
    let constraints: [UniqueConstraint]
    /// What is part of a key of theirs.
    let keyProperties: Set<WireProperty>
    /// The link tables that have this entity's records on the left, on the right.
    let leftLinks: [LinkLayout]
    let rightLinks: [LinkLayout]
    let insertSQL: String
    /// Parameter 1 is the row ID; columns: discriminator (or its constant), `ab_version`,
    /// `ab_writes`.
    let versionSQL: String
    let deleteSQL: String
    private let propertiesByName: [WireProperty: TableLayout.Property]

    init(
        _ entity: EntityDescription, table: TableLayout, number: Int64, links: [LinkLayout],
        constraints: [UniqueConstraint]
    ) {
        self.constraints = constraints
        keyProperties = Set(constraints.flatMap(\.wireProperties))
        self.entity = entity
        self.table = table
        self.number = number
        let columns = table.columns(of: entity)
        self.columns = columns
        let properties = TableLayout.properties(of: columns)
        self.properties = properties
        ruledColumns = table.ruledColumns.filter {
            entity.isKind(of: $0.column.property.entity)
        }
        leftLinks = links.filter { entity.isKind(of: $0.leftEntity) }
        rightLinks = links.filter { entity.isKind(of: $0.rightEntity) }
        insertSQL = Self.insertSQL(table: table, columns: columns)
        versionSQL = Self.versionSQL(of: table, number, before: [])
        deleteSQL = "DELETE FROM \(table.name) WHERE ab_pk = ?"
        propertiesByName = Dictionary(
            properties.map { ($0.wire, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Parameters: row ID, `ab_version`, `ab_writes`, [discriminator], then the columns.
    static func insertSQL(table: TableLayout, columns: [TableLayout.Column]) -> String {
        let names = insertedNames(table, columns)
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    }

    private static func insertedNames(
        _ table: TableLayout, _ columns: [TableLayout.Column]
    ) -> [String] {
        ["ab_pk", "ab_version", "ab_writes"] + (table.hasDiscriminator ? ["ab_entity"] : [])
            + columns.flatMap(\.names)
    }

    /// As ``insertSQL(table:columns:)``, of ``TableLayout/rowsAtOnce`` rows. The parameters of the
    /// first row stand in all rows but for the ID and the columns, which each row has behind those
    /// of the row before.
    ///
    /// It takes nothing back where it fails: a statement of many rows that could would copy each
    /// page before it changes it, which takes twice the time of single rows.
    static func insertSQLOfMany(
        table: TableLayout, columns: [TableLayout.Column]
    ) -> String {
        let names = insertedNames(table, columns)
        let common = 1..<names.count - columns.reduce(0) { $0 + $1.names.count }
        let marks = names.indices.map { common ~= $0 ? "?\($0 + 1)" : "?" }
        let row = "(\(marks.joined(separator: ", ")))"
        let rows = Array(repeating: row, count: TableLayout.rowsAtOnce)
        return """
            INSERT OR FAIL INTO \(table.name) (\(names.joined(separator: ", ")))
            VALUES \(rows.joined(separator: ", "))
            """
    }

    /// As ``versionSQL``, with more columns.
    ///
    /// - Parameter names: As SQL has them.
    func versionSQL(before names: [String]) -> String {
        Self.versionSQL(of: table, number, before: names)
    }

    /// As ``versionSQL(before:)`` for the rows from one ID (parameter 1) to another (parameter 2),
    /// ascending, with the ID as the last column.
    func stretchSQL(before names: [String]) -> String {
        let columns = Self.versionColumns(of: table, number, before: names + ["ab_pk"])
        return "SELECT \(columns) FROM \(table.name) WHERE ab_pk BETWEEN ? AND ? ORDER BY ab_pk"
    }

    private static func versionSQL(
        of table: TableLayout, _ number: Int64, before names: [String]
    ) -> String {
        let columns = versionColumns(of: table, number, before: names)
        return "SELECT \(columns) FROM \(table.name) WHERE ab_pk = ?"
    }

    private static func versionColumns(
        of table: TableLayout, _ number: Int64, before names: [String]
    ) -> String {
        let discriminator = table.hasDiscriminator ? "ab_entity" : "\(number)"
        return ([discriminator, "ab_version", "ab_writes"] + names).joined(separator: ", ")
    }

    var firstColumnParameter: Int { table.hasDiscriminator ? 5 : 4 }

    /// Where a wire property is; `nil` where this model does not have it.
    func property(_ property: WireProperty) -> TableLayout.Property? {
        propertiesByName[property]
    }

    func column(of attribute: AttributeDescription) -> TableLayout.Column? {
        columns.first { $0.property == .attribute(attribute) }
    }
}
