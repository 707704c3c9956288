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

    package func searchTable(for entity: EntityDescription) -> String {
        SearchTable(layout(of: entity).table)?.name ?? "NULL"
    }

    package func searchColumn(of attribute: AttributeDescription) -> Int {
        let columns = SearchTable.columns(of: layout(of: attribute.entity).table)
        return columns.firstIndex { $0.property == .attribute(attribute) } ?? -1
    }

    package func linkTable(for relationship: RelationshipDescription) -> LinkTableNames {
        let name = links(of: relationship)?.name ?? "NULL"
        let isRight = relationship.storage == .links(.right)
        return LinkTableNames(
            name: name, ownColumn: isRight ? "\"right\"" : "\"left\"",
            otherColumn: isRight ? "\"left\"" : "\"right\"")
    }

    package var mergesDuplicates: Bool { !constraints.isEmpty }

    package func listOrder(
        of relationship: RelationshipDescription, _ aliases: ListAliases
    ) -> [String] {
        let position = position(in: relationship, aliases)
        let element = aliases.element
        return [
            // Elements without a position come first. Of two in one position, the record that
            // comes first by the bytes of its identity is the first.
            "\(position) IS NOT NULL", position,
            "(SELECT r.id FROM ab_replica AS r WHERE r.ordinal = \(element).ab_pk >> 40)",
            "\(element).ab_pk",
        ]
    }

    private func position(
        in relationship: RelationshipDescription, _ aliases: ListAliases
    ) -> String {
        switch relationship.storage {
        case .inverseReference, .reference, .memory:
            let inverse = relationship.inverse.map { PropertyDescription.relationship($0) }
            let columns = layout(of: relationship.destination).table.columns
            let column = columns.first { $0.property == inverse }?.position
            return column.map { "\(aliases.element).\($0)" } ?? "NULL"
        case .links(.left): return "\(aliases.link).left_position"
        case .links(.right): return "\(aliases.link).right_position"
        case .links(.both):
            let (link, element) = (aliases.link, aliases.element)
            return "CASE WHEN \(link).\"right\" = \(element).ab_pk THEN \(link).left_position "
                + "ELSE \(link).right_position END"
        }
    }
}
