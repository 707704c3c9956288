import AnabranchReplication

// The fields of all records. Their numbers are permanent parts of the format. Texts that are sorted
// are sorted by their bytes.

extension ModelDeclaration: FieldRecord {
    static var blank: Self { ModelDeclaration(entities: []) }
    static let fields: [RecordField<Self>] = [
        .optional(1, \.versionIdentifier), .each(2, \.entities), .each(3, \.fetchRequestTemplates),
        .each(5, \.configurations),
    ]
}

extension ModelConfiguration: FieldRecord {
    static var blank: Self { ModelConfiguration("", entities: []) }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name),
        // The member entities, sorted.
        .each(2, \.entities), .flag(3, \.isSynced, unless: true),
    ]
}

extension EntityDeclaration: FieldRecord {
    static var blank: Self { EntityDeclaration("") }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name), .optional(2, \.wireName), .optional(3, \.parent), .flag(4, \.isAbstract),
        .optional(5, \.renamingIdentifier), .optional(6, \.representedClassName),
        .each(7, \.attributes), .each(8, \.relationships), .each(9, \.indexes),
        .each(10, \.uniquenessConstraints), .entries(11, \.userInfo),
        .value(12, \.deletePolicy, unless: .deleteWins), .each(13, \.attributeGroups),
        .optional(14, \.versionHashModifier),
        // The fetched properties, sorted by their names.
        .each(15, \.fetchedProperties), .each(18, \.compositeAttributes),
    ]
}

extension FetchedProperty: FieldRecord {
    static var blank: Self { FetchedProperty("", of: "") }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name), .value(2, \.entity), .optional(3, \.predicateFormat),
        .optional(4, \.fetchLimit), .entries(5, \.userInfo),
    ]
}

extension CompositeAttribute: FieldRecord {
    static var blank: Self { CompositeAttribute("", optional: false) }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name), .optional(2, \.wireName), .optional(3, \.typeName),
        .flag(4, \.isOptional), .flag(5, \.isTransient),
        // The elements, sorted by their names.
        .each(6, \.attributes), .each(7, \.compositeAttributes),
        .optional(8, \.renamingIdentifier), .entries(9, \.userInfo),
        .optional(10, \.versionHashModifier),
    ]
}

extension AttributeDeclaration: FieldRecord {
    static var blank: Self { AttributeDeclaration("", .undefined, optional: false) }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name), .optional(2, \.wireName), .value(3, \.type), .flag(4, \.isOptional),
        .flag(5, \.isTransient), .optional(6, \.defaultValue), .optional(7, \.minimum),
        .optional(8, \.maximum), .optional(9, \.regularExpression),
        .optional(10, \.renamingIdentifier), .value(11, \.mergeRule, unless: .lastWriter),
        .flag(12, \.allowsExternalBinaryDataStorage),
        .flag(13, \.preservesValueInHistoryOnDeletion),
        .entries(14, \.userInfo), .optional(15, \.valueTransformerName),
        // The validations, in the declared order.
        .each(16, \.validations), .optional(17, \.derivationExpression),
        .optional(18, \.versionHashModifier), .optional(19, \.search),
    ]
}

extension TextSearch: FieldRecord {
    static var blank: Self { TextSearch() }
    static let fields: [RecordField<Self>] = [.each(1, \.lengths)]

    /// The lengths of word beginnings, in ascending order.
    private var lengths: [Int] {
        get { prefixLengths }
        set { self = TextSearch(prefixLengths: newValue) }
    }
}

extension RelationshipDeclaration: FieldRecord {
    static var blank: Self {
        var blank = RelationshipDeclaration("", to: "", optional: false)
        blank.maxCount = nil
        return blank
    }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name), .optional(2, \.wireName), .value(3, \.destination), .flag(4, \.isToMany),
        .flag(5, \.isOptional), .flag(6, \.isOrdered), .value(7, \.minCount, unless: 0),
        .optional(8, \.maxCount), .value(9, \.deleteRule), .optional(10, \.inverse),
        .optional(11, \.renamingIdentifier), .entries(12, \.userInfo), .flag(13, \.isAcyclic),
        // The validations, in the declared order.
        .each(14, \.validations), .optional(15, \.versionHashModifier), .flag(16, \.isTransient),
    ]
}

extension ValidationRule: FieldRecord {
    static var blank: Self { ValidationRule(predicateFormat: "") }
    static let fields: [RecordField<Self>] = [
        .value(1, \.predicateFormat), .value(2, \.warning, unless: ""),
    ]
}

extension AttributeGroup: FieldRecord {
    static var blank: Self { AttributeGroup("", attributes: []) }
    // The attributes are sorted.
    static let fields: [RecordField<Self>] = [.value(1, \.name), .each(2, \.attributes)]
}

extension IndexDeclaration: FieldRecord {
    static var blank: Self { IndexDeclaration("", elements: []) }
    static let fields: [RecordField<Self>] = [.value(1, \.name), .each(2, \.elements)]
}

extension IndexDeclaration.Element: FieldRecord {
    static var blank: Self { IndexDeclaration.Element("") }
    static let fields: [RecordField<Self>] = [
        .value(1, \.property), .flag(3, \.isAscending, unless: true),
    ]
}

extension UniquenessConstraint: FieldRecord {
    static var blank: Self { UniquenessConstraint(attributes: []) }
    static let fields: [RecordField<Self>] = [.each(1, \.attributes)]
}

extension FetchRequestTemplate: FieldRecord {
    static var blank: Self { FetchRequestTemplate("", entity: "") }
    static let fields: [RecordField<Self>] = [
        .value(1, \.name), .value(4, \.entity), .optional(5, \.predicateFormat),
        .optional(6, \.fetchLimit), .value(7, \.fetchBatchSize, unless: 0),
        .flag(8, \.includesSubentities, unless: true),
        .flag(9, \.includesPendingChanges, unless: true),
        .flag(10, \.includesPropertyValues, unless: true),
        .flag(11, \.returnsObjectsAsFaults, unless: true),
    ]
}
