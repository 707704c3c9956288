import AnabranchReplication

/// Builds the descriptions of a checked declaration.
struct GraphBuilder {
    private let declared: [EntityDeclaration]
    private let index: DeclarationIndex
    private let graph: ModelGraph
    private let unsynced: UnsyncedEntities
    /// The number of inherited slots of each entity.
    private let firstOwnSlots: [Int]
    /// The number of inherited groups of each entity.
    private let firstOwnGroups: [Int]

    init(_ declaration: ModelDeclaration, graph: ModelGraph) {
        let index = DeclarationIndex(declaration.entities)
        declared = declaration.entities
        self.index = index
        self.graph = graph
        unsynced = UnsyncedEntities(declaration)
        firstOwnSlots = index.entities.indices.map { entity in
            index.lineage(of: entity).dropFirst().reduce(0) {
                $0 + index.entities[$1].attributes.count + index.entities[$1].relationships.count
            }
        }
        firstOwnGroups = index.entities.indices.map { entity in
            index.lineage(of: entity).dropFirst().reduce(0) {
                $0 + index.entities[$1].attributeGroups.count
            }
        }
    }

    func build() -> [EntityDescription] {
        let own = index.entities.indices.map { ownProperties(of: $0) }
        let groups = index.entities.indices.map { ownGroups(of: $0, own[$0]) }
        let composites = index.entities.indices.map { ownComposites(of: $0, own[$0]) }
        let entities = index.entities.indices.map { position in
            let lineage = Array(index.lineage(of: position).reversed())
            return EntityDescription(
                declared[position], index: position, lineage: lineage,
                subentities: index.children[position],
                slots: lineage.flatMap { own[$0] },
                compositeAttributes: lineage.flatMap { composites[$0] },
                attributeGroups: lineage.flatMap { groups[$0] },
                fetchedProperties: lineage.flatMap(fetchedProperties),
                deletePolicy: lineage.contains {
                    index.entities[$0].deletePolicy == .updateWins
                } ? .updateWins : .deleteWins,
                isSynced: unsynced.configuration(of: index.entities[position].name) == nil,
                graph: graph)
        }
        return entities
    }

    private func ownProperties(of entity: Int) -> [PropertyDescription] {
        let declared = index.entities[entity]
        var slot = firstOwnSlots[entity]
        func next() -> PropertyLocation {
            defer { slot += 1 }
            return PropertyLocation(entity: entity, slot: slot)
        }
        let elementCount = declared.elementCount
        let initial = Set(
            declared.compositeAttributes.flatMap(\.initialElementNames).map { WireName($0) })
        func describe(_ attribute: AttributeDeclaration) -> PropertyDescription {
            let isElement = attribute.name.utf8.contains(UInt8(ascii: "."))
            return .attribute(
                AttributeDescription(
                    attribute, at: next(), group: group(of: attribute, declaredBy: entity),
                    hasInitialValue: !isElement || initial.contains(WireName(attribute.name)),
                    graph: graph))
        }
        let attributes = declared.attributes.dropLast(elementCount).map(describe)
        let relationships = Self.slotOrder(declared.relationships).map {
            PropertyDescription.relationship(self.describe($0, at: next()))
        }
        return attributes + relationships
            + declared.attributes.suffix(elementCount).map(describe)
    }

    private func ownComposites(
        of entity: Int, _ properties: [PropertyDescription]
    ) -> [CompositeAttributeDescription] {
        let composites = declared[entity].compositeAttributes
        guard !composites.isEmpty else { return [] }
        let attributes = Dictionary(
            properties.compactMap(\.attribute).map { (WireName($0.name), $0) },
            uniquingKeysWith: { first, _ in first })
        return composites.map {
            CompositeAttributeDescription(
                $0, in: "", declaredBy: entity, attributes: attributes, graph: graph)
        }
    }

    private func group(
        of attribute: AttributeDeclaration, declaredBy entity: Int
    ) -> (index: Int, name: String)? {
        let groups = index.entities[entity].attributeGroups
        let own = groups.firstIndex { group in
            group.attributes.contains { $0.hasSameBytes(as: attribute.name) }
        }
        return own.map { (firstOwnGroups[entity] + $0, groups[$0].name) }
    }

    private func fetchedProperties(of entity: Int) -> [FetchedPropertyDescription] {
        index.entities[entity].fetchedProperties.map {
            FetchedPropertyDescription(
                $0, of: entity, fetching: index.position(of: $0.entity) ?? entity, graph: graph)
        }
    }

    private func ownGroups(
        of entity: Int, _ properties: [PropertyDescription]
    ) -> [AttributeGroupDescription] {
        let composites = index.entities[entity].compositeAttributes.filter { !$0.isTransient }
        return index.entities[entity].attributeGroups.map { group in
            let names = Set(group.attributes.map { WireName($0) })
            return AttributeGroupDescription(
                group,
                attributes: properties.compactMap(\.attribute).filter {
                    names.contains(WireName($0.name))
                },
                composite: composites.first {
                    $0.resolvedWireName.hasSameBytes(as: group.name)
                })
        }
    }

    private static func slotOrder(_ relationships: [RelationshipDeclaration])
        -> [RelationshipDeclaration]
    {
        relationships.filter { !$0.isToMany } + relationships.filter(\.isToMany)
    }

    private func describe(
        _ relationship: RelationshipDeclaration, at place: PropertyLocation
    ) -> RelationshipDescription {
        let inverse = index.inverse(of: relationship, declaredBy: place.entity)
        let storage = StoredSide.storage(
            of: relationship, declaredBy: place.entity, inverse: inverse, in: index)
        return RelationshipDescription(
            relationship, at: place, storage: storage,
            destination: index.position(of: relationship.destination) ?? place.entity,
            inverse: inverse.map { self.place(of: $0.relationship, declaredBy: $0.entity) },
            wireProperty: StoredSide.wireProperty(
                of: relationship, storage: storage, inverse: inverse),
            graph: graph)
    }

    private func place(
        of relationship: RelationshipDeclaration, declaredBy entity: Int
    ) -> PropertyLocation {
        let declared = index.entities[entity]
        let order = Self.slotOrder(declared.relationships)
        let offset = order.firstIndex { $0.name.hasSameBytes(as: relationship.name) } ?? 0
        return PropertyLocation(
            entity: entity,
            slot: firstOwnSlots[entity] + declared.attributes.count - declared.elementCount
                + offset)
    }
}
