extension ModelDeclaration {
    /// Leaves out indexes over properties that have no column in the store. This changes no result
    /// of a fetch.
    ///
    /// - Parameter isDropped: Receives true for a property with a column, and `nil` for one that
    ///   the entity lacks.
    mutating func dropIndexes(over isDropped: (Bool?) -> Bool) -> [ModelWarning] {
        var warnings: [ModelWarning] = []
        let all = DeclarationIndex(entities)
        for position in entities.indices {
            let name = entities[position].name
            entities[position].indexes.removeAll { index in
                let property = index.elements.map(\.property)
                    .first { isDropped(all.hasColumn($0, in: position)) }
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
