import AnabranchReplication

/// Brings a declaration to the form in which models that mean the same are equal.
///
/// Everything with a name is sorted by its bytes, wire names are filled in, defaults and bounds
/// have the case of their type. What cannot be brought to it stays as it is, for the checks to
/// refuse.
enum DeclarationNormalizer {
    static func normalize(_ declaration: ModelDeclaration) -> ModelDeclaration {
        var result = declaration
        result.entities = declaration.entities.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        result.fetchRequestTemplates.sort { $0.name.precedesByBytes($1.name) }
        return result
    }

    private static func normalize(_ entity: Entity) -> Entity {
        var result = entity
        result.wireName = entity.resolvedWireName
        result.attributes = entity.attributes.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        result.relationships = entity.relationships.map(normalize)
            .sorted { $0.name.precedesByBytes($1.name) }
        // An index without elements is legal and does nothing.
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

    private static func normalize(_ attribute: Attribute) -> Attribute {
        var result = attribute
        result.wireName = attribute.resolvedWireName
        // As model files say that there is none.
        if attribute.valueTransformerName?.isEmpty == true { result.valueTransformerName = nil }
        result.defaultValue = attribute.defaultValue.flatMap {
            $0.isNull ? nil : attribute.type.coerce($0) ?? $0
        }
        result.minimum = attribute.minimum.map { coerceBound($0, of: attribute.type) }
        result.maximum = attribute.maximum.map { coerceBound($0, of: attribute.type) }
        return result
    }

    /// Bounds of a string are lengths; all others are values.
    private static func coerceBound(_ bound: Value, of type: AttributeType) -> Value {
        type == .string ? bound : type.coerce(bound) ?? bound
    }

    private static func normalize(_ relationship: Relationship) -> Relationship {
        var result = relationship
        result.wireName = relationship.resolvedWireName
        return result
    }
}
