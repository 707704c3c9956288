package import AnabranchModel

extension StoreSchema: SchemaNaming {
    package func table(for entity: EntityDescription) -> String {
        layout(of: entity).table.name
    }

    package func column(for property: PropertyDescription) -> String {
        let table = layout(of: property.entity).table
        // A predicate compiler calls this only for stored properties.
        return table.columns.first { $0.property == property }?.name ?? "NULL"
    }

    package func entityNumbers(
        for entity: EntityDescription, includingSubentities: Bool
    ) -> [Int64]? {
        guard layout(of: entity).table.hasDiscriminator else { return nil }
        let entities = includingSubentities ? entity.hierarchy : [entity]
        return entities.map { layout(of: $0).number }
    }

    package func linkTable(for relationship: RelationshipDescription) -> LinkTableNames {
        let name = links(of: relationship)?.name ?? "NULL"
        let isRight = relationship.storage == .links(.right)
        return LinkTableNames(
            name: name, ownColumn: isRight ? "\"right\"" : "\"left\"",
            otherColumn: isRight ? "\"left\"" : "\"right\"")
    }
}
