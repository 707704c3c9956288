package import AnabranchModel
package import AnabranchSQLite

/// The columns of a SELECT that reads whole rows of an entity and its sub-entities, with their
/// decoders.
package struct RowSelection {
    private let table: TableLayout
    private let schema: StoreSchema
    private let columns: [TableLayout.Column]
    /// The derived attributes of all entities of the hierarchy, which have no columns.
    private let derived: [AttributeDescription]
    private let decoders: [Int64: RowDecoder]
    /// The decoder of a table that has only one entity.
    private let single: Unmanaged<RowDecoder>?

    package init(_ entity: EntityDescription, schema: StoreSchema) {
        let hierarchy = entity.hierarchy
        let table = schema.layout(of: entity).table
        let columns = table.columns.filter { column in
            hierarchy.contains { $0.isKind(of: column.property.entity) }
        }
        let derived = hierarchy.flatMap { entity in
            entity.derivedAttributes.filter { $0.entity == entity || entity == hierarchy.first }
        }
        let firstColumn = table.hasDiscriminator ? 3 : 2
        let decoders = hierarchy.map { entity in
            RowDecoder(
                entity,
                columns: columns.enumerated().compactMap { index, column in
                    entity.isKind(of: column.property.entity)
                        ? (column.slot, firstColumn + index, column.kind) : nil
                }
                    + derived.enumerated().compactMap { index, attribute in
                        entity.isKind(of: attribute.entity)
                            ? (
                                attribute.slot, firstColumn + columns.count + index,
                                ColumnKind(attribute.type)
                            ) : nil
                    })
        }
        self.derived = derived
        self.table = table
        self.schema = schema
        self.columns = columns
        single = table.hasDiscriminator ? nil : decoders.first.map(Unmanaged.passUnretained)
        self.decoders = Dictionary(
            decoders.map { (schema.layout(of: $0.entity).number, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// SQL of the columns in their order: row ID, version, discriminator, then the properties.
    ///
    /// - Parameter alias: The alias of the entity's table in the statement.
    package func sql(alias: String) -> String {
        var terms = ["ab_pk", "ab_version"]
        if table.hasDiscriminator { terms.append("ab_entity") }
        var names = terms.map { "\(alias).\($0)" }
        for column in columns { names.append(sql(of: column, alias: alias)) }
        for attribute in derived {
            names.append(PredicateSQL.derived(attribute, of: alias, in: schema))
        }
        return names.joined(separator: ", ")
    }

    /// SQL of one column. A reference to a deleted record keeps its value, but reads nil.
    private func sql(of column: TableLayout.Column, alias: String) -> String {
        guard let target = column.property.relationship?.destination else {
            return "\(alias).\(column.name)"
        }
        let table = schema.layout(of: target).table.name
        return "(SELECT r.ab_pk FROM \(table) r WHERE r.ab_pk = \(alias).\(column.name))"
    }

    /// The statement's current row, valid while both this value and the statement exist.
    package func row(_ statement: Statement) throws -> StoredRow {
        if let single { return StoredRow(statement, decoder: single) }
        guard let decoder = decoders[statement.int64(at: 2)] else {
            throw StoreError(
                .corrupt,
                "Can't read a row because the model has no entity with its number "
                    + "\(statement.int64(at: 2)).", records: [statement.int64(at: 0)])
        }
        return StoredRow(statement, decoder: .passUnretained(decoder))
    }
}
