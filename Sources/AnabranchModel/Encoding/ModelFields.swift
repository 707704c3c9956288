/// The field numbers of a whole model in the canonical encoding.
///
/// All field numbers in this file are permanent parts of the format.
enum ModelField {
    static let versionIdentifier: UInt8 = 1
    static let entity: UInt8 = 2
    static let fetchRequestTemplate: UInt8 = 3
    static let configuration: UInt8 = 5
}

/// The field numbers of a configuration.
enum ConfigurationField {
    static let name: UInt8 = 1
    /// One field for each member entity, sorted by the bytes of the names.
    static let entity: UInt8 = 2
    static let isUnsynced: UInt8 = 3
}

/// The field numbers of an entity.
enum EntityField {
    static let name: UInt8 = 1
    static let wireName: UInt8 = 2
    static let parent: UInt8 = 3
    static let isAbstract: UInt8 = 4
    static let renamingIdentifier: UInt8 = 5
    static let representedClassName: UInt8 = 6
    static let attribute: UInt8 = 7
    static let relationship: UInt8 = 8
    static let index: UInt8 = 9
    static let constraint: UInt8 = 10
    static let userInfo: UInt8 = 11
    /// The raw value of `DeletePolicy`; left out if it is `deleteWins`.
    static let deletePolicy: UInt8 = 12
    static let attributeGroup: UInt8 = 13
    static let versionHashModifier: UInt8 = 14
    /// One field for each fetched property, sorted by the bytes of the names.
    static let fetchedProperty: UInt8 = 15
    static let compositeAttribute: UInt8 = 18
}

/// The field numbers of a fetched property.
enum FetchedPropertyField {
    static let name: UInt8 = 1
    static let entity: UInt8 = 2
    static let predicateFormat: UInt8 = 3
    static let fetchLimit: UInt8 = 4
    static let userInfo: UInt8 = 5
}

/// The field numbers of a composite attribute.
enum CompositeField {
    static let name: UInt8 = 1
    static let wireName: UInt8 = 2
    static let typeName: UInt8 = 3
    static let isOptional: UInt8 = 4
    static let isTransient: UInt8 = 5
    /// One field for each element that is an attribute, sorted by the bytes of the names.
    static let attribute: UInt8 = 6
    /// One field for each element that is a composite attribute, in the same order.
    static let compositeAttribute: UInt8 = 7
    static let renamingIdentifier: UInt8 = 8
    static let userInfo: UInt8 = 9
    static let versionHashModifier: UInt8 = 10
}

/// The field numbers of an attribute.
enum AttributeField {
    static let name: UInt8 = 1
    static let wireName: UInt8 = 2
    /// The raw value of `AttributeType`.
    static let type: UInt8 = 3
    static let isOptional: UInt8 = 4
    static let isTransient: UInt8 = 5
    static let defaultValue: UInt8 = 6
    static let minimum: UInt8 = 7
    static let maximum: UInt8 = 8
    static let regularExpression: UInt8 = 9
    static let renamingIdentifier: UInt8 = 10
    /// The raw value of `MergeRule`; left out if it is `lastWriter`.
    static let mergeRule: UInt8 = 11
    static let allowsExternalBinaryDataStorage: UInt8 = 12
    static let preservesValueInHistoryOnDeletion: UInt8 = 13
    static let userInfo: UInt8 = 14
    /// The transformer that a transformable attribute names. Any other attribute has no such field.
    static let valueTransformerName: UInt8 = 15
    /// One field for each validation, in the declared order.
    static let validation: UInt8 = 16
    /// The expression of a derived attribute. Any other attribute has no such field.
    static let derivationExpression: UInt8 = 17
    static let versionHashModifier: UInt8 = 18
    /// The index of the words. An attribute that can't be searched has no such field.
    static let search: UInt8 = 19
}

/// The field numbers of the index of an attribute's words.
enum SearchField {
    /// One field for each length of word beginnings, in ascending order.
    static let prefixLength: UInt8 = 1
}

/// The field numbers of a relationship.
enum RelationshipField {
    static let name: UInt8 = 1
    static let wireName: UInt8 = 2
    static let destination: UInt8 = 3
    static let isToMany: UInt8 = 4
    static let isOptional: UInt8 = 5
    static let isOrdered: UInt8 = 6
    static let minCount: UInt8 = 7
    /// The greatest number of objects at the other end. A relationship without a limit has no such
    /// field.
    static let maxCount: UInt8 = 8
    /// The raw value of `DeleteRule`.
    static let deleteRule: UInt8 = 9
    static let inverse: UInt8 = 10
    static let renamingIdentifier: UInt8 = 11
    static let userInfo: UInt8 = 12
    static let isAcyclic: UInt8 = 13
    /// One field for each validation, in the declared order.
    static let validation: UInt8 = 14
    static let versionHashModifier: UInt8 = 15
    static let isTransient: UInt8 = 16
}

/// The field numbers of a validation rule of an attribute or a relationship.
enum ValidationField {
    static let predicateFormat: UInt8 = 1
    /// The warning. An empty one has no field.
    static let warning: UInt8 = 2
}

/// The field numbers of an attribute group.
enum GroupField {
    static let name: UInt8 = 1
    /// One field for each attribute, sorted by the bytes of the names.
    static let attribute: UInt8 = 2
}

/// The field numbers of an index, its elements, a constraint and a fetch request template.
enum PartField {
    static let name: UInt8 = 1
    static let element: UInt8 = 2
    static let isDescending: UInt8 = 3
    static let entity: UInt8 = 4
    static let predicateFormat: UInt8 = 5
    static let fetchLimit: UInt8 = 6
    /// The batch size. A size of 0 has no field. A setting below that has its default has no field
    /// either.
    static let fetchBatchSize: UInt8 = 7
    static let excludesSubentities: UInt8 = 8
    static let excludesPendingChanges: UInt8 = 9
    static let excludesPropertyValues: UInt8 = 10
    static let returnsRealisedObjects: UInt8 = 11
}
