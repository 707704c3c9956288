import AnabranchReplication

/// Finds entities and properties of a declaration by the bytes of their names.
///
/// It can be used before the checks. If two declarations have one name, it finds the first; a cycle
/// of parents ends at `ModelLimits.deepestHierarchy`.
struct DeclarationIndex {
    enum Property {
        case attribute(AttributeDeclaration)
        case relationship(RelationshipDeclaration)
    }

    /// The entities, with an attribute for each element of a composite attribute.
    let entities: [EntityDeclaration]
    /// The positions of each entity's direct sub-entities, in ascending order.
    let children: [[Int]]
    private let positions: [WireName: Int]
    private let parents: [Int?]
    private let properties: [[WireName: Property]]

    init(_ declared: [EntityDeclaration]) {
        let entities = declared.map(\.flattened)
        self.entities = entities
        let positions = Dictionary(
            entities.enumerated().map { (WireName($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        self.positions = positions
        let parents = entities.map { $0.parent.flatMap { positions[WireName($0)] } }
        self.parents = parents
        var children: [[Int]] = Array(repeating: [], count: entities.count)
        for (child, parent) in parents.enumerated() {
            if let parent { children[parent].append(child) }
        }
        self.children = children
        properties = entities.map { entity in
            let attributes = entity.attributes.map {
                (WireName($0.name), Property.attribute($0))
            }
            let relationships = entity.relationships.map {
                (WireName($0.name), Property.relationship($0))
            }
            return Dictionary(attributes + relationships, uniquingKeysWith: { first, _ in first })
        }
    }

    func position(of name: String) -> Int? { positions[WireName(name)] }

    /// The positions from the entity up to its root; at most one more than the deepest hierarchy.
    func lineage(of entity: Int) -> [Int] {
        var found = [entity]
        while let parent = parents[found[found.count - 1]],
            found.count <= ModelLimits.deepestHierarchy
        {
            found.append(parent)
        }
        return found
    }

    /// The property of that name, declared or inherited, and the entity that declares it.
    func find(_ name: String, in entity: Int) -> (entity: Int, property: Property)? {
        let name = WireName(name)
        for owner in lineage(of: entity) {
            if let property = properties[owner][name] { return (owner, property) }
        }
        return nil
    }

    /// Returns the inverse that a relationship names, and the position of the entity that declares
    /// the inverse.
    ///
    /// - Returns: `nil` if the relationship names no inverse, or if the destination has no
    ///   relationship of that name.
    func inverse(
        of relationship: RelationshipDeclaration, declaredBy entity: Int
    ) -> (entity: Int, relationship: RelationshipDeclaration)? {
        guard let name = relationship.inverse,
            let destination = position(of: relationship.destination),
            let found = find(name, in: destination),
            case .relationship(let inverse) = found.property
        else { return nil }
        return (found.entity, inverse)
    }

    /// Tells if the property has a column in the table of its own entity.
    ///
    /// - Returns: `nil` if the entity has no such property.
    func hasColumn(_ name: String, in entity: Int) -> Bool? {
        guard let found = find(name, in: entity) else { return nil }
        switch found.property {
        case .attribute(let attribute): return attribute.isStored
        case .relationship(let relationship):
            let inverse = inverse(of: relationship, declaredBy: found.entity)
            return StoredSide.storage(
                of: relationship, declaredBy: found.entity, inverse: inverse, in: self)
                == .reference
        }
    }
}
