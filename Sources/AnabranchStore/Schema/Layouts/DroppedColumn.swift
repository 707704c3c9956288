import AnabranchModel
import AnabranchReplication

/// A column of an attribute or a to-one that the model does not have any more.
///
/// A migration that drops such a property leaves its column under another name, so that it writes
/// no row. The values that were written before belong to the merged state, like deferred cells.
/// Later writes go to the deferred cells, and a deferred cell takes the place of the row's value.
struct DroppedColumn: Sendable {
    /// The entity that declared the property.
    let entity: EntityDescription
    /// The property as it travels.
    let wire: WireProperty
    let kind: ColumnKind
    /// The property's number in `ab_writes`.
    let number: Int
    /// The last position of the log when the property was dropped.
    let position: Int64

    /// The column's name, quoted for SQL. No property has it, because a model can't use the prefix.
    var name: String { SQL.quoted("ab_dropped_\(number)") }

    /// The position of the change set that wrote the value of a row.
    ///
    /// - Returns: `nil` if the row has no value. The writes of a row that was inserted after the
    ///   property was dropped do not name it, so its position is that of the insert.
    func lastWrite(in writes: RowWrites) -> Int64? {
        writes[number].flatMap { $0 <= position ? $0 : nil }
    }
}

extension SchemaNumbers {
    /// A property that a migration dropped without writing the rows.
    struct DroppedProperty: Sendable {
        /// The number of the entity that declared the property.
        let entity: Int64
        let property: WireProperty
        /// The last position of the log when the property was dropped.
        let position: Int64
    }

    /// The columns that the table of a root entity keeps of dropped properties.
    func droppedColumns(of root: EntityDescription) -> [DroppedColumn] {
        (dropped[number(of: root)] ?? [:]).sorted { $0.key < $1.key }.compactMap {
            number, dropped in
            guard
                let entity = root.hierarchy.first(where: { self.number(of: $0) == dropped.entity }
                ),
                let kind = ColumnKind(dropped.property.type)
            else { return nil }
            return DroppedColumn(
                entity: entity, wire: dropped.property, kind: kind, number: number,
                position: dropped.position)
        }
    }

    /// Records which properties the numbers lack that a file has columns of. Their columns stay if
    /// the rows do.
    ///
    /// - Parameters:
    ///   - schema: The file's tables before the migration.
    ///   - position: The last position of the log.
    mutating func drop(from schema: StoreSchema, at position: Int64) {
        for table in schema.tables {
            let hierarchy = table.root.hierarchy.map { schema.layout(of: $0).number }
            let kept = Set(hierarchy.flatMap { properties[$0, default: [:]].values })
            for column in table.columns where !kept.contains(column.number) && column.isDroppable {
                dropped[schema.layout(of: table.root).number, default: [:]][column.number] =
                    DroppedProperty(
                        entity: schema.layout(of: column.property.entity).number,
                        property: column.property.wireProperty, position: position)
            }
        }
    }
}

extension TableLayout.Column {
    /// Returns true if each value of the column would be one deferred cell without the property.
    var isDroppable: Bool {
        let wire = property.wireProperty
        return property.entity.isSynced
            && [.lastWriter, .firstWriter, .max, .min].contains(wire.rule)
            && ColumnKind(wire.type) == kind
    }
}
