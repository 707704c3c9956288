package import AnabranchModel
import AnabranchReplication
import Synchronization

/// The tables and columns that hold the objects of one entity, with the SQL that never changes.
package final class EntityLayout: Sendable {
    package let entity: EntityDescription
    package let table: TableLayout
    /// The value of the discriminator column.
    package let number: Int64
    /// The entity's columns in slot order.
    package let columns: [TableLayout.Column]
    /// The entity's properties in the order of their first slots.
    let properties: [TableLayout.Property]
    /// The references that a view rule may hide or redirect to a surviving record.
    let viewRuleColumns: [ViewRuleColumn]
    /// The uniqueness constraints that apply to the entity's records.
    let constraints: [UniqueConstraint]
    /// True if a view rule can apply to the entity's records.
    let hasViewRules: Bool
    /// The properties that are part of a unique key of the entity.
    let keyProperties: Set<WireProperty>
    /// The link tables in which this entity's records are the left ends, and the right ends.
    let leftLinks: [LinkLayout]
    let rightLinks: [LinkLayout]
    /// The sides of these links that the entity's records have, by their own wire names.
    let linkSides: [WireName: LinkSide]
    let insertSQL: String
    /// All columns as properties of a block.
    let block: BlockMapping
    /// The parameters of all columns in `insertSQL`.
    let insertParameters: [Int]
    /// The properties that an insertion leaves out if it has no value for them.
    let propertiesWithoutNull: [TableLayout.Property]
    /// The properties that show a default in place of null.
    let propertiesWithDefault: [TableLayout.Property]
    private let updateLayouts = Mutex<[[Int]: UpdateLayout]>([:])
    /// Reads a row's version: parameter 1 is the row ID. Columns: discriminator (or its constant),
    /// `ab_version`, `ab_writes`.
    let versionSQL: String
    let deleteSQL: String
    private let propertiesByName: [WireProperty: TableLayout.Property]
    /// The references, and the attributes outside groups.
    private let valuesByName: [WireName: TableLayout.Property]

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
        viewRuleColumns = table.viewRuleColumns.filter {
            entity.isKind(of: $0.column.property.entity)
        }
        hasViewRules = !constraints.isEmpty || !viewRuleColumns.isEmpty
        let left = links.filter { entity.isKind(of: $0.leftEntity) }
        let right = links.filter { entity.isKind(of: $0.rightEntity) }
        leftLinks = left
        rightLinks = right
        linkSides = Self.linkSides(left: left, right: right)
        insertSQL = Self.insertSQL(table: table, columns: columns)
        block = BlockMapping(columns)
        insertParameters = TableLayout.parameters(
            of: columns, from: Self.firstColumnParameter(of: table))
        propertiesWithoutNull = properties.filter(\.isLeftOutWithoutValue)
        propertiesWithDefault = properties.filter { !$0.valueWhenNull.isNull }
        versionSQL = Self.versionSQL(of: table, number, before: [])
        deleteSQL = "DELETE FROM \(table.name) WHERE ab_pk = ?"
        propertiesByName = Dictionary(
            properties.map { ($0.wire, $0) }, uniquingKeysWith: { first, _ in first })
        valuesByName = Dictionary(
            properties.filter { $0.group == nil }.map { ($0.wire.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The statement that inserts one row. Parameters: row ID, `ab_version`, `ab_writes`,
    /// [discriminator], then the columns.
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

    /// The statement that inserts ``TableLayout/rowsAtOnce`` rows.
    ///
    /// The first row has the parameters of `insertSQL(table:columns:)`. Each further row has only
    /// its ID and its columns as parameters, after those of the row before; it shares the others.
    ///
    /// If it fails, it does not undo the rows it has already inserted. A multi-row statement that
    /// could undo them would copy each page before changing it, which takes twice the time of
    /// single rows.
    static func insertSQLOfMany(table: TableLayout, columns: [TableLayout.Column]) -> String {
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

    /// The statement `versionSQL` with more columns after its own.
    ///
    /// - Parameter names: The columns, quoted for SQL.
    func versionSQL(before names: [String]) -> String {
        Self.versionSQL(of: table, number, before: names)
    }

    /// The statement `versionSQL(before:)` for a range of rows, with the row ID as its last column.
    ///
    /// Parameters 1 and 2 are the first and the last ID of the range. Rows are in ascending order.
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

    var firstColumnParameter: Int { Self.firstColumnParameter(of: table) }

    private static func firstColumnParameter(of table: TableLayout) -> Int {
        table.hasDiscriminator ? 5 : 4
    }

    /// True if these are all columns, in the order of `insertSQL`. A change set of another version
    /// of the model may have them in another order.
    func hasColumns(_ columns: [TableLayout.Column]) -> Bool {
        columns.elementsEqual(self.columns) { $0.number == $1.number }
    }

    /// The parameters of some columns in the statements that insert them.
    func insertParameters(of columns: [TableLayout.Column]) -> [Int] {
        TableLayout.parameters(of: columns, from: firstColumnParameter)
    }

    /// The layout of an update of some slots, made when it is first needed.
    func updateLayout(ofSlots slots: [Int]) -> UpdateLayout {
        if let known = updateLayouts.withLock({ $0[slots] }) { return known }
        let layout = UpdateLayout(columns.filter { slots.contains($0.slot) }, of: table)
        updateLayouts.withLock { layouts in
            // An app changes few sets of properties. If it changes many, they are made again.
            if layouts.count >= Self.greatestUpdateLayoutCount { layouts.removeAll() }
            layouts[slots] = layout
        }
        return layout
    }

    private static let greatestUpdateLayoutCount = 256

    /// The layout of a wire property; `nil` if this model does not have the property.
    func property(_ property: WireProperty) -> TableLayout.Property? {
        propertiesByName[property]
    }

    /// The property that shows the values of a former property, which this model does not have;
    /// `nil` if there is none.
    func successor(of former: WireProperty) -> TableLayout.Property? {
        guard let property = valuesByName[former.name], property.wire.continues(former) else {
            return nil
        }
        return property
    }

    /// The property that shows a deferred cell, or shows something in its place.
    ///
    /// - Parameter cell: The property of the cell: a former one, or one that shows its default in
    ///   place of its own null.
    /// - Returns: `nil` if there is no such property.
    func property(concernedBy cell: WireProperty) -> TableLayout.Property? {
        guard let own = propertiesByName[cell] else { return successor(of: cell) }
        return own.valueWhenNull.isNull ? nil : own
    }
}
