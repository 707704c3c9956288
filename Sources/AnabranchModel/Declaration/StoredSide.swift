import AnabranchReplication

/// Decides which of two inverses is stored and sent.
///
/// The wire names alone decide, so every replica decides alike, whatever else its version of the
/// model contains.
enum StoredSide {
    static func storage(
        of relationship: Relationship, declaredBy entity: Int,
        inverse: (entity: Int, relationship: Relationship)?, in index: DeclarationIndex
    ) -> RelationshipStorage {
        guard let inverse else { return relationship.isToMany ? .links(.left) : .reference }
        let own = key(of: relationship, entity, in: index)
        let other = key(of: inverse.relationship, inverse.entity, in: index)
        switch (relationship.isToMany, inverse.relationship.isToMany) {
        case (false, true): return .reference
        case (true, false): return .inverseReference
        case (false, false): return own <= other ? .reference : .inverseReference
        case (true, true):
            if own == other { return .links(.both) }
            return own < other ? .links(.left) : .links(.right)
        }
    }

    /// Returns the wire property of a relationship. Two inverses share the one of the stored side.
    static func wireProperty(
        of relationship: Relationship, storage: RelationshipStorage,
        inverse: (entity: Int, relationship: Relationship)?
    ) -> WireProperty {
        let name = wireName(of: relationship, storage: storage, inverse: inverse)
        let isOrdered = relationship.isOrdered || inverse?.relationship.isOrdered == true
        switch storage {
        case .links(let side):
            return WireProperty(
                name: name, type: side == .both ? .mutualLinks : .links,
                rule: isOrdered ? .list : .set)
        case .reference, .inverseReference:
            return isOrdered
                ? WireProperty(name: name, type: .group, rule: .group)
                : WireProperty(name: name, type: .reference)
        }
    }

    private static func wireName(
        of relationship: Relationship, storage: RelationshipStorage,
        inverse: (entity: Int, relationship: Relationship)?
    ) -> WireName {
        switch storage {
        case .inverseReference, .links(.right):
            WireName((inverse?.relationship ?? relationship).resolvedWireName)
        case .reference, .links: WireName(relationship.resolvedWireName)
        }
    }

    private struct Key: Comparable {
        let entity: WireName
        let property: WireName

        static func < (left: Key, right: Key) -> Bool {
            left.entity != right.entity
                ? left.entity < right.entity : left.property < right.property
        }
    }

    private static func key(
        of relationship: Relationship, _ entity: Int, in index: DeclarationIndex
    ) -> Key {
        Key(
            entity: WireName(index.entities[entity].resolvedWireName),
            property: WireName(relationship.resolvedWireName))
    }
}
