extension ModelWriter {
    /// The attributes and composite attributes of an entity or a composite, sorted by name.
    mutating func nodes(
        _ attributes: [AttributeDeclaration], _ composites: [CompositeAttribute],
        of entity: EntityDeclaration
    ) -> [XMLNode] {
        var nodes = attributes.map { (name: $0.name, node: node($0, of: entity)) }
        nodes += composites.map { (name: $0.name, node: node($0, of: entity)) }
        return nodes.sorted { $0.name.precedesByBytes($1.name) }.map(\.node)
    }

    private mutating func node(_ composite: CompositeAttribute, of entity: EntityDeclaration)
        -> XMLNode
    {
        let place = Place("composite attribute", composite.name, of: entity)
        var node = XMLNode("attribute")
        node.set("name", text(composite.name, "name", of: place))
        node.set("optional", flag: composite.isOptional)
        node.set("transient", flag: composite.isTransient)
        node.set("attributeType", "Composite")
        node.set("composite", text(composite.resolvedTypeName, "type name", of: place))
        node.set(
            "versionHashModifier",
            text(composite.versionHashModifier, "version hash modifier", of: place))
        node.set("elementID", text(composite.renamingIdentifier, "renaming identifier", of: place))
        node.children = userInfo(entries(of: composite), of: place)
        return node
    }

    /// The composites that the attributes of the entities name as their types, sorted by name.
    mutating func composites(of entities: [EntityDeclaration]) -> [XMLNode] {
        var types: [String: CompositeAttribute] = [:]
        var pending = entities.flatMap(\.compositeAttributes)
        while let next = pending.popLast() {
            guard types.updateValue(next, forKey: next.resolvedTypeName) == nil else { continue }
            pending += next.compositeAttributes
        }
        return types.sorted { $0.key.precedesByBytes($1.key) }.map { name, composite in
            var node = XMLNode("composite")
            node.set("name", name)
            node.children = nodes(
                composite.attributes, composite.compositeAttributes, of: EntityDeclaration(name))
            return node
        }
    }
}
