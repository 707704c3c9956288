import AnabranchReplication

/// Decides which of two inverses is stored and sent.
///
/// The wire names alone decide, so every replica decides alike, whatever else its version of the
/// model contains.
enum StoredSide {
    static func storage(
        of relationship: RelationshipDeclaration, declaredBy entity: Int,
        inverse: (entity: Int, relationship: RelationshipDeclaration)?, in index: DeclarationIndex
    ) -> RelationshipStorage {
        let side = side(of: relationship, declaredBy: entity, inverse: inverse, in: index)
        if relationship.isTransient { return .memory(side) }
        guard let inverse else { return relationship.isToMany ? .links(side) : .reference }
        switch (relationship.isToMany, inverse.relationship.isToMany) {
        case (false, true): return .reference
        case (true, false): return .inverseReference
        case (false, false): return side == .right ? .inverseReference : .reference
        case (true, true): return .links(side)
        }
    }

    private static func side(
        of relationship: RelationshipDeclaration, declaredBy entity: Int,
        inverse: (entity: Int, relationship: RelationshipDeclaration)?, in index: DeclarationIndex
    ) -> RelationshipStorage.Side {
        guard let inverse else { return .left }
        let own = key(of: relationship, entity, in: index)
        let other = key(of: inverse.relationship, inverse.entity, in: index)
        return own == other ? .both : own < other ? .left : .right
    }

    /// Returns the wire property of a relationship. Two inverses share the one of the stored side.
    static func wireProperty(
        of relationship: RelationshipDeclaration, storage: RelationshipStorage,
        inverse: (entity: Int, relationship: RelationshipDeclaration)?
    ) -> WireProperty {
        let name = wireName(of: relationship, storage: storage, inverse: inverse)
        let isOrdered = relationship.isOrdered || inverse?.relationship.isOrdered == true
        switch storage {
        case .links(let side), .memory(let side):
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
        of relationship: RelationshipDeclaration, storage: RelationshipStorage,
        inverse: (entity: Int, relationship: RelationshipDeclaration)?
    ) -> WireName {
        switch storage {
        case .inverseReference, .links(.right), .memory(.right):
            WireName((inverse?.relationship ?? relationship).resolvedWireName)
        case .reference, .links, .memory: WireName(relationship.resolvedWireName)
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
        of relationship: RelationshipDeclaration, _ entity: Int, in index: DeclarationIndex
    ) -> Key {
        Key(
            entity: WireName(index.entities[entity].resolvedWireName),
            property: WireName(relationship.resolvedWireName))
    }
}
