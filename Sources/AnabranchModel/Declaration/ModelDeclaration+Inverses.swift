extension ModelDeclaration {
    /// An inverse that a model file names and that a model can't use.
    struct OneSidedInverse {
        let entity: String
        let relationship: String
        /// The inverse with its entity.
        let inverse: String
    }

    /// Removes each inverse that names another relationship, or none, as its own inverse.
    ///
    /// Core Data's compiler only warns about such inverses, so shipped apps have them.
    ///
    /// - Returns: The removed inverses.
    mutating func removeOneSidedInverses() -> [OneSidedInverse] {
        let index = DeclarationIndex(entities)
        var removed: [OneSidedInverse] = []
        for entity in entities.indices {
            for place in entities[entity].relationships.indices {
                let relationship = entities[entity].relationships[place]
                guard
                    let inverse = index.inverse(of: relationship, declaredBy: entity),
                    !index.isInverse(relationship, declaredBy: entity, of: inverse)
                else { continue }
                entities[entity].relationships[place].inverse = nil
                removed.append(
                    OneSidedInverse(
                        entity: entities[entity].name, relationship: relationship.name,
                        inverse: "\(entities[inverse.entity].name).\(inverse.relationship.name)"))
            }
        }
        return removed
    }
}

extension DeclarationIndex {
    /// Returns true if a relationship is what another one names as its inverse.
    func isInverse(
        _ relationship: RelationshipDeclaration, declaredBy entity: Int,
        of other: (entity: Int, relationship: RelationshipDeclaration)
    ) -> Bool {
        guard let back = inverse(of: other.relationship, declaredBy: other.entity) else {
            return false
        }
        return back.entity == entity
            && back.relationship.name.hasSameBytes(as: relationship.name)
    }
}

extension ModelWarning {
    init(_ removed: ModelDeclaration.OneSidedInverse) {
        self.init(
            .oneSidedInverse, entity: removed.entity, property: removed.relationship,
            "The relationship \(removed.entity).\(removed.relationship) is read without its "
                + "inverse \(removed.inverse), which does not name it as its own inverse.")
    }
}
