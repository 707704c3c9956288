/// The stored form of composite attributes: one attribute for each element, in one group.
///
/// Log, merge, tables, validation and migration see only these attributes. A name that contains
/// another one is its path, such as `address.city`; the wire name and the renaming identifier are
/// paths in the same way.
extension EntityDeclaration {
    /// The entity with an attribute for each element of its composite attributes.
    ///
    /// The attributes of elements are behind all other ones, sorted by the bytes of their names,
    /// and have their number in ``elementCount``.
    var flattened: EntityDeclaration {
        guard !compositeAttributes.isEmpty else { return self }
        var result = self
        var elements: [AttributeDeclaration] = []
        for composite in compositeAttributes {
            let own = composite.elementAttributes
            elements += own
            guard !composite.isTransient, !own.isEmpty else { continue }
            result.attributeGroups.append(
                AttributeGroup(
                    composite.resolvedWireName,
                    attributes: Set(own.map(\.name)).sorted { $0.precedesByBytes($1) }))
        }
        result.attributes += elements.sorted { $0.name.precedesByBytes($1.name) }
        result.attributeGroups.sort { $0.name.precedesByBytes($1.name) }
        return result
    }

    /// The number of attributes that are elements of composite attributes.
    var elementCount: Int { compositeAttributes.reduce(0) { $0 + $1.elementCount } }
}

extension CompositeAttribute {
    /// The names of the attributes of all elements, in the order of their slots.
    package var elementNames: [String] {
        elementAttributes.map(\.name).sorted { $0.precedesByBytes($1) }
    }

    /// The names of the attributes that have their defaults in a new object. They are in no
    /// composite attribute that may be without a value.
    var initialElementNames: [String] {
        guard !isOptional else { return [] }
        return (attributes.map(\.name) + compositeAttributes.flatMap(\.initialElementNames))
            .map { "\(name).\($0)" }
    }

    /// The number of attributes among the elements, at every depth.
    var elementCount: Int {
        compositeAttributes.reduce(attributes.count) { $0 + $1.elementCount }
    }

    /// The attributes of all elements, named by their paths.
    ///
    /// The elements of an optional composite attribute are optional by themselves: a check of the
    /// whole composite attribute asks for the mandatory ones.
    var elementAttributes: [AttributeDeclaration] {
        let own = attributes + compositeAttributes.flatMap(\.elementAttributes)
        return own.map { element in
            var result = element
            result.name = "\(name).\(element.name)"
            result.wireName = "\(resolvedWireName).\(element.resolvedWireName)"
            if renamingIdentifier != nil || element.renamingIdentifier != nil {
                result.renamingIdentifier =
                    "\(renamingIdentifier ?? name).\(element.renamingIdentifier ?? element.name)"
            }
            result.isOptional = isOptional || element.isOptional
            result.isTransient = isTransient || element.isTransient
            return result
        }
    }
}
