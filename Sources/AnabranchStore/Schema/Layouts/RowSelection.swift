import AnabranchModel
import AnabranchSQLite

/// The columns of a SELECT that reads whole rows of an entity and its sub-entities, with their
/// decoders.
///
/// The entity's table has the alias `t0`.
package final class RowSelection: Sendable {
    /// SQL of each column: row ID, version, discriminator if the table has one, then the
    /// properties.
    package let terms: [String]
    /// Finds rows by their IDs.
    let byID: SelectByID
    private let decoders: [Int64: RowDecoder]
    /// The decoder of a table that has only one entity.
    private let single: Unmanaged<RowDecoder>?

    init(_ entity: EntityDescription, in schema: StoreSchema) {
        let hierarchy = entity.hierarchy
        let table = schema.layout(of: entity).table
        let columns = table.columns.filter { column in
            hierarchy.contains { $0.isKind(of: column.property.entity) }
        }
        // Derived attributes have no columns.
        let derived = hierarchy.flatMap { entity in
            entity.derivedAttributes.filter { $0.entity == entity || entity == hierarchy.first }
        }
        let ownColumns = ["ab_pk", "ab_version"] + (table.hasDiscriminator ? ["ab_entity"] : [])
        let decoders = hierarchy.map { entity in
            RowDecoder(
                entity,
                columns: columns.enumerated().compactMap { index, column in
                    entity.isKind(of: column.property.entity)
                        ? (column.slot, ownColumns.count + index, column.kind) : nil
                }
                    + derived.enumerated().compactMap { index, attribute in
                        entity.isKind(of: attribute.entity)
                            ? (
                                attribute.slot, ownColumns.count + columns.count + index,
                                ColumnKind(attribute.type)
                            ) : nil
                    })
        }
        single = table.hasDiscriminator ? nil : decoders.first.map(Unmanaged.passUnretained)
        self.decoders = Dictionary(
            decoders.map { (schema.layout(of: $0.entity).number, $0) },
            uniquingKeysWith: { first, _ in first })
        let terms: [String] =
            ownColumns.map { "t0.\($0)" } + columns.map { Self.sql(of: $0, in: schema) }
            + derived.map { PredicateSQL.derived($0, of: "t0", in: schema) }
        self.terms = terms
        let restriction = schema.restriction(to: entity, alias: "t0", after: "AND")
        byID = SelectByID(isKey: true) { id in
            (terms, "\(table.name) AS t0 WHERE t0.ab_pk = \(id) \(restriction)")
        }
    }

    /// The terms of rows that refer to one record in a column. SQLite looks for that record once if
    /// its ID does not depend on the row.
    ///
    /// - Parameter id: SQL of the record's ID.
    func terms(
        where column: TableLayout.Column, is id: String, in schema: StoreSchema
    ) -> [String] {
        let term = Self.sql(of: column, in: schema)
        return terms.map { $0 == term ? Self.sql(of: column, with: id, in: schema) : $0 }
    }

    /// SQL of one column. A reference to a deleted record keeps its value, but reads nil.
    ///
    /// - Parameter id: SQL of the reference, if it is known.
    private static func sql(
        of column: TableLayout.Column, with id: String? = nil, in schema: StoreSchema
    ) -> String {
        let value = "t0.\(column.name)"
        guard let target = column.property.relationship?.destination else { return value }
        let table = schema.layout(of: target).table.name
        return "(SELECT r.ab_pk FROM \(table) r WHERE r.ab_pk = \(id ?? value))"
    }

    /// A row of a statement that selects these columns first, valid while this value exists.
    ///
    /// - Returns: `nil` if the model has no entity with the row's number.
    func knownRow(_ columns: UnsafeRow) -> StoredRow? {
        if let single { return StoredRow(columns, decoder: single) }
        return decoders[columns[2].int64].map { StoredRow(columns, decoder: .passUnretained($0)) }
    }
}
