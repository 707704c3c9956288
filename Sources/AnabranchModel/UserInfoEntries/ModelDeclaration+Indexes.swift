extension ModelDeclaration {
    /// Leaves out indexes over properties that have no column in the store. This changes no result
    /// of a fetch.
    ///
    /// - Parameter keepsUnknown: True to keep an index over a property that the entity lacks, so
    ///   that the check of the model reports it.
    mutating func dropIndexesWithoutColumns(keepingUnknown keepsUnknown: Bool) -> [ModelWarning] {
        var warnings: [ModelWarning] = []
        let all = DeclarationIndex(entities)
        for position in entities.indices {
            let name = entities[position].name
            entities[position].indexes.removeAll { index in
                let property = index.elements.map(\.property)
                    .first { !(all.hasColumn($0, in: position) ?? keepsUnknown) }
                guard let property else { return false }
                warnings.append(
                    ModelWarning(
                        .ignored, entity: name, property: property,
                        "Index \(index.name) of entity \(name) is left out because \(property) "
                            + "has no column."))
                return true
            }
        }
        return warnings
    }
}
