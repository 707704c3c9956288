import AnabranchReplication

/// Converts a declaration to the form in which models with the same meaning are equal.
///
/// Named parts are sorted by the bytes of their names, wire names are filled in, and defaults and
/// bounds are converted to their attribute's type. A value that cannot be converted stays as it is,
/// and the checks refuse it.
enum DeclarationNormalizer {
    static func normalize(_ declaration: ModelDeclaration) -> ModelDeclaration {
        var result = declaration
        result.entities = declaration.entities.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        result.fetchRequestTemplates.sort { $0.name.precedesByBytes($1.name) }
        result.configurations = declaration.configurations.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        return result
    }

    /// A member that is named twice is a member once.
    private static func normalize(_ configuration: ModelConfiguration) -> ModelConfiguration {
        var result = configuration
        var seen: Set<WireName> = []
        result.entities = configuration.entities.filter { seen.insert(WireName($0)).inserted }
            .sorted { $0.precedesByBytes($1) }
        return result
    }

    private static func normalize(_ entity: EntityDeclaration) -> EntityDeclaration {
        var result = entity
        result.wireName = entity.resolvedWireName
        result.attributes = entity.attributes.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        result.compositeAttributes = normalize(entity.compositeAttributes)
        result.relationships = entity.relationships.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        result.fetchedProperties = entity.fetchedProperties
            .sorted { $0.name.precedesByBytes($1.name) }
        // An index without elements is legal and has no effect.
        result.indexes = entity.indexes.filter { !$0.elements.isEmpty }
            .sorted { $0.name.precedesByBytes($1.name) }
        result.attributeGroups = entity.attributeGroups.map { group in
            AttributeGroup(
                group.name, attributes: group.attributes.sorted { $0.precedesByBytes($1) })
        }.sorted { $0.name.precedesByBytes($1.name) }
        result.uniquenessConstraints.sort { left, right in
            left.attributes.map { WireName($0) }
                .lexicographicallyPrecedes(right.attributes.map { WireName($0) })
        }
        return result
    }

    private static func normalize(_ attribute: AttributeDeclaration) -> AttributeDeclaration {
        var result = attribute
        result.wireName = attribute.resolvedWireName
        // An empty name in a model file means that there is no transformer.
        if attribute.valueTransformerName?.isEmpty == true { result.valueTransformerName = nil }
        result.defaultValue = attribute.defaultValue.flatMap {
            $0.isNull ? nil : attribute.type.coerce($0) ?? $0
        }
        result.minimum = attribute.minimum.map { coerceBound($0, of: attribute.type) }
        result.maximum = attribute.maximum.map { coerceBound($0, of: attribute.type) }
        return result
    }

    private static func normalize(_ composites: [CompositeAttribute]) -> [CompositeAttribute] {
        composites.map { composite in
            var result = composite
            result.wireName = composite.resolvedWireName
            result.typeName = composite.resolvedTypeName
            result.attributes = composite.attributes.map(normalize)
                .sorted { $0.name.precedesByBytes($1.name) }
            result.compositeAttributes = normalize(composite.compositeAttributes)
            return result
        }.sorted { $0.name.precedesByBytes($1.name) }
    }

    /// Converts a bound; bounds of a string are lengths and stay integers.
    private static func coerceBound(_ bound: PropertyValue, of type: AttributeType) -> PropertyValue
    {
        type == .string ? bound : type.coerce(bound) ?? bound
    }

    private static func normalize(_ relationship: RelationshipDeclaration)
        -> RelationshipDeclaration
    {
        var result = relationship
        result.wireName = relationship.resolvedWireName
        return result
    }
}
