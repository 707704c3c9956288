import AnabranchReplication

extension EntityDescription {
    /// The hash of everything that decides how records of the entity are stored and merged.
    ///
    /// It has 32 bytes. A store opens with a model if its entities have the names and version
    /// hashes of the store's own ones. Any other model needs a migration. As in Core Data, these
    /// count:
    ///
    /// - of the entity: name, super-entity, whether it is abstract, uniqueness constraints;
    /// - of a property: name, whether it is optional, transient or derived;
    /// - of an attribute: type; of a composite attribute: its elements;
    /// - of a relationship: destination, inverse, counts, whether it is ordered;
    /// - the `versionHashModifier` of each.
    ///
    /// Defaults, delete rules, validations, class names, transformers, indexes, the expression of a
    /// derived attribute, fetched properties, renaming identifiers and user infos do not count.
    /// Unlike in Core Data, everything counts that decides a merge: wire names, merge rules,
    /// attribute groups, delete policies, whether a relationship is acyclic and whether the entity
    /// is synced.
    public var versionHash: [UInt8] {
        let parent = superentity?.versionHash ?? []
        let own = declaration.versioned.content
        return Digest(of: parent + own + (isSynced ? [] : Array("unsynced".utf8))).bytes
    }
}

extension ManagedObjectModel {
    /// The version hashes of all entities by their names.
    public var entityVersionHashesByName: [String: [UInt8]] {
        Dictionary(
            entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns true if a store of one model opens with the other one without a migration.
    ///
    /// The models have entities of the same names, and these have the same
    /// ``EntityDescription/versionHash``.
    public func hasVersion(of other: ManagedObjectModel) -> Bool {
        hash == other.hash || firstEntity(withOtherVersionIn: other) == nil
    }

    /// The first entity, by the bytes of the names, that one of the two models lacks or that
    /// differs itself; a sub-entity of one that differs has another version too.
    package func firstEntity(withOtherVersionIn other: ManagedObjectModel) -> EntityDescription? {
        func differs(_ entity: EntityDescription) -> Bool {
            other.entity(named: entity.name)?.versionHash != entity.versionHash
        }
        let differing = entities.first { differs($0) && !($0.superentity.map(differs) ?? false) }
        return differing ?? other.entities.first { entity(named: $0.name) == nil }
    }
}

extension EntityDeclaration {
    /// The declaration without all that does not count in the version hash.
    ///
    /// The super-entity is left out too: its hash takes the place of its name.
    fileprivate var versioned: EntityDeclaration {
        var result = self
        result.parent = nil
        result.representedClassName = nil
        result.renamingIdentifier = nil
        result.userInfo = [:]
        result.indexes = []
        result.fetchedProperties = []
        result.attributes = attributes.map(\.versioned)
        result.compositeAttributes = compositeAttributes.map(\.versioned)
        result.relationships = relationships.map(\.versioned)
        return result
    }
}

extension AttributeDeclaration {
    fileprivate var versioned: AttributeDeclaration {
        var result = self
        result.defaultValue = nil
        result.minimum = nil
        result.maximum = nil
        result.regularExpression = nil
        result.validations = []
        result.valueTransformerName = nil
        result.derivationExpression = derivationExpression.map { _ in "" }
        result.renamingIdentifier = nil
        result.search = nil
        result.allowsExternalBinaryDataStorage = false
        result.preservesValueInHistoryOnDeletion = false
        result.userInfo = [:]
        return result
    }
}

extension CompositeAttribute {
    fileprivate var versioned: CompositeAttribute {
        var result = self
        result.typeName = nil
        result.renamingIdentifier = nil
        result.userInfo = [:]
        result.attributes = attributes.map(\.versioned)
        result.compositeAttributes = compositeAttributes.map(\.versioned)
        return result
    }
}

extension RelationshipDeclaration {
    fileprivate var versioned: RelationshipDeclaration {
        var result = self
        result.deleteRule = .nullify
        result.validations = []
        result.renamingIdentifier = nil
        result.userInfo = [:]
        return result
    }
}
