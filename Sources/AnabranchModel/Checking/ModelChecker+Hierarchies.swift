import AnabranchReplication

extension ModelChecker {
    /// Checks parents, cycles of parents, and the names and limits that a hierarchy shares.
    mutating func checkHierarchies() {
        var hierarchies: [Int: [(depth: Int, entity: Int)]] = [:]
        for (position, entity) in entities.enumerated() {
            if let parent = entity.parent, index.position(of: parent) == nil {
                refuse(
                    .unknownEntity, entity.name, nil,
                    "Can't use entity \(entity.name) because there is no parent entity \(parent)."
                        + hint(forEntity: parent))
            }
            let lineage = index.lineage(of: position)
            if lineage.dropFirst().contains(position) {
                refuse(
                    .inheritanceCycle, entity.name, nil,
                    "Can't use entity \(entity.name) because it is its own ancestor.")
            } else if lineage.count > ModelLimits.deepestHierarchy {
                refuse(
                    .limitExceeded, entity.name, nil,
                    "Can't use entity \(entity.name) because it has "
                        + "\(ModelLimits.deepestHierarchy) or more ancestors.")
            } else if let root = lineage.last {
                hierarchies[root, default: []].append((lineage.count, position))
            }
        }
        for (root, members) in hierarchies.sorted(by: { $0.key < $1.key }) {
            let order = members.sorted { ($0.depth, $0.entity) < ($1.depth, $1.entity) }
            checkHierarchy(order.map(\.entity), root: root)
        }
        checkSlots()
    }

    private mutating func checkSlots() {
        let counts = entities.map { $0.attributes.count + $0.relationships.count }
        let slots = entities.indices.reduce(0) { sum, entity in
            sum + index.lineage(of: entity).reduce(0) { $0 + counts[$1] }
        }
        guard slots > ModelLimits.maximumSlots else { return }
        refuse(
            .limitExceeded, nil, nil,
            "Can't use the model because its entities have \(slots) properties in all, inherited "
                + "ones included; the most is \(ModelLimits.maximumSlots).")
    }

    private mutating func checkHierarchy(_ members: [Int], root: Int) {
        let count = members.reduce(0) {
            $0 + entities[$1].attributes.count + entities[$1].relationships.count
        }
        let most = ModelLimits.maximumPropertiesInHierarchy
        if count > most {
            refuse(
                .limitExceeded, entities[root].name, nil,
                "Can't use the hierarchy of \(entities[root].name) because it has \(count) "
                    + "properties; the most is \(most).")
        }
        checkPropertyNames(ofHierarchy: members)
    }
}
