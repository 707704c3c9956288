package import AnabranchModel
import AnabranchSQLite

extension StoreReader {
    /// Reads rows by ID in one SELECT, whatever their number.
    ///
    /// - Parameter ids: IDs of objects of the entity or its sub-entities. An ID that does not
    ///   exist, or that belongs to another entity, gives no row.
    package func rows(
        of entity: EntityDescription, ids: [LocalID], _ body: (StoredRow) throws -> Void
    ) throws {
        guard !ids.isEmpty else { return }
        let selection = RowSelection(entity, schema: schema)
        let statement = try connection.cached(
            """
            SELECT \(selection.sql(alias: "t")) FROM json_each(?) j
            CROSS JOIN \(schema.layout(of: entity).table.name) t ON t.ab_pk = j.value
            \(restriction(to: entity, alias: "t", after: "WHERE"))
            """)
        try statement.bind(SQL.json(ids), at: 1)
        try read(statement, selection, body)
    }

    /// The entity of a row in a hierarchy; `nil` if there is no such row.
    package func entity(
        of id: LocalID, in root: EntityDescription
    ) throws -> EntityDescription? {
        let layout = schema.layout(of: root)
        let statement = try connection.cached(layout.versionSQL)
        try statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return layout.table.hasDiscriminator
            ? schema.entity(numbered: statement.int64(at: 0)) : layout.entity
    }

    /// A condition that excludes rows of other branches of the hierarchy; empty if there are none.
    func restriction(
        to entity: EntityDescription, alias: String, after keyword: String
    ) -> String {
        let layout = schema.layout(of: entity)
        guard layout.table.hasDiscriminator, entity.superentity != nil else { return "" }
        let numbers = entity.hierarchy.map { "\(schema.layout(of: $0).number)" }
        return "\(keyword) \(alias).ab_entity IN (\(numbers.joined(separator: ", ")))"
    }
}
