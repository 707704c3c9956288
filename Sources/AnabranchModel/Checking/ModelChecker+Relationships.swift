import AnabranchReplication

extension ModelChecker {
    mutating func check(_ relationship: RelationshipDeclaration, declaredBy position: Int) {
        let entity = entities[position].name
        let path = "relationship \(entity).\(relationship.name)"
        if relationship.isOrdered, !relationship.isToMany {
            refuse(
                .invalidProperty, entity, relationship.name,
                "Can't order \(path) because it is to-one.")
        }
        checkCounts(of: relationship, entity: entity, path: path)
        guard index.position(of: relationship.destination) != nil else {
            refuse(
                .unknownEntity, entity, relationship.name,
                "Can't use \(path) because there is no entity \(relationship.destination)."
                    + hint(forEntity: relationship.destination))
            return
        }
        checkAcyclic(relationship, declaredBy: position, path: path)
        checkInverse(of: relationship, declaredBy: position, path: path)
    }

    /// Checks that an acyclic relationship is a to-one between entities of one line of inheritance.
    ///
    /// Only then can references form a cycle.
    private mutating func checkAcyclic(
        _ relationship: RelationshipDeclaration, declaredBy position: Int, path: String
    ) {
        guard relationship.isAcyclic else { return }
        let entity = entities[position].name
        let destination = index.position(of: relationship.destination) ?? position
        let objection: String? =
            if relationship.isToMany {
                "it is to-many; declare the to-one back as acyclic"
            } else if relationship.isTransient {
                "it is transient, so no save checks it"
            } else if isOwnInverse(relationship, declaredBy: position) {
                "it is its own inverse, so two objects always form a cycle"
            } else if !index.lineage(of: position).contains(destination),
                !index.lineage(of: destination).contains(position)
            {
                "\(entity) and \(relationship.destination) are not of one kind"
            } else {
                nil
            }
        guard let objection else { return }
        refuse(
            .invalidProperty, entity, relationship.name,
            "Can't declare \(path) as acyclic because \(objection).")
    }

    private func isOwnInverse(_ relationship: RelationshipDeclaration, declaredBy position: Int)
        -> Bool
    {
        guard let inverse = index.inverse(of: relationship, declaredBy: position) else {
            return false
        }
        return inverse.entity == position
            && inverse.relationship.name.hasSameBytes(as: relationship.name)
    }

    private mutating func checkCounts(
        of relationship: RelationshipDeclaration, entity: String, path: String
    ) {
        let least = relationship.minCount
        let objection: String? =
            if least < 0 {
                "its least count is negative"
            } else if !relationship.isToMany, relationship.maxCount != 1 || least > 1 {
                "it is to-one, and so its count is 0 or 1"
            } else if let most = relationship.maxCount, most < 1 || most < least {
                "its greatest count \(most) is below 1 or below its least count \(least)"
            } else {
                nil
            }
        guard let objection else { return }
        refuse(
            .invalidBounds, entity, relationship.name,
            "Can't bound \(path) because \(objection).")
    }

    private mutating func checkInverse(
        of relationship: RelationshipDeclaration, declaredBy position: Int, path: String
    ) {
        let entity = entities[position].name
        guard let name = relationship.inverse else {
            warn(
                .missingInverse, entity, relationship.name,
                "The \(path) has no inverse: nothing keeps its other end in step.")
            return
        }
        guard let inverse = index.inverse(of: relationship, declaredBy: position) else {
            refuse(
                .unknownProperty, entity, relationship.name,
                "Can't use \(path) because its inverse \(relationship.destination).\(name) "
                    + "is no relationship."
                    + hint(forInverse: name, of: relationship.destination))
            return
        }
        guard index.isInverse(relationship, declaredBy: position, of: inverse) else {
            let other = "\(entities[inverse.entity].name).\(inverse.relationship.name)"
            refuse(
                .inverseMismatch, entity, relationship.name,
                "Can't use \(path) because its inverse \(other) does not name it as its own "
                    + "inverse.")
            return
        }
        if relationship.isTransient, !inverse.relationship.isTransient {
            let other = "\(entities[inverse.entity].name).\(inverse.relationship.name)"
            refuse(
                .inverseMismatch, entity, relationship.name,
                "Can't use \(path) because it is transient and its inverse \(other) is stored; "
                    + "make both transient, or neither.")
        }
        if !relationship.isToMany, isOwnInverse(relationship, declaredBy: position),
            index.position(of: relationship.destination) != position
        {
            refuse(
                .inverseMismatch, entity, relationship.name,
                "Can't use \(path) because it is its own inverse, and \(relationship.destination) "
                    + "could not refer back to every \(entity); make \(entity) its destination.")
        }
    }
}
