public import AnabranchReplication

/// An attribute as a model declares it.
public struct AttributeDeclaration: Hashable, Sendable {
    /// The name; unique among the properties of the entity and its hierarchy.
    package var name: String
    /// The type, which decides the values that the attribute can hold.
    package var type: AttributeType
    /// The name under which the app registers the transformer of a transformable attribute.
    ///
    /// The transformer converts values to bytes and back. `nil` is the default transformer.
    package var valueTransformerName: String?
    /// The Swift type of a transformable attribute's values, for tools that generate classes.
    ///
    /// Stores ignore it: it is not in the model's canonical encoding.
    package var valueClassName: String?
    /// True if a saved object may have no value.
    package var isOptional: Bool
    /// True if the value is tracked and validated, but never stored or sent.
    package var isTransient: Bool
    /// The expression of a derived attribute, in a form of
    /// ``AttributeDescription/derivationExpression``.
    ///
    /// `nil` if the app sets the value.
    package var derivationExpression: String?
    /// The value of a newly inserted object. The model converts it to the attribute's type.
    package var defaultValue: PropertyValue?
    /// The least value, or the least length of a string in UTF-16 units. Inclusive.
    package var minimum: PropertyValue?
    /// The greatest value, or the greatest length of a string in UTF-16 units. Inclusive.
    package var maximum: PropertyValue?
    /// A regular expression in ICU's syntax that the whole text of a string must match.
    package var regularExpression: String?
    /// Further conditions on the value, checked in this order when an object is saved.
    package var validations: [ValidationRule]
    /// The name on the wire; `nil` uses the renaming identifier, or else the name.
    ///
    /// Never change it once a store has data: another wire name is another property.
    package var wireName: String?
    /// The name of the attribute in an earlier version of the model.
    package var renamingIdentifier: String?
    /// The index of the words of a text, by which it can be searched; `nil` without one.
    package var search: TextSearch?
    /// The rule that merges concurrent writes of different replicas.
    package var mergeRule: MergeRule
    /// The setting of a model file, kept for tools; values are always stored in their row.
    package var allowsExternalBinaryDataStorage: Bool
    /// True if the history keeps the value when its object is deleted.
    package var preservesValueInHistoryOnDeletion: Bool
    /// A text that makes the version another one, though nothing else differs.
    ///
    /// A store then opens with the model only by a migration, as after a change of the schema.
    package var versionHashModifier: String?
    /// Any texts for the app or for tools; nothing in Anabranch reads them.
    package var userInfo: [String: String]

    /// Declares an attribute. The parameters set the properties with the same names.
    public init(
        _ name: String,
        _ type: AttributeType,
        transformer valueTransformerName: String? = nil,
        className valueClassName: String? = nil,
        optional isOptional: Bool = true,
        default defaultValue: PropertyValue? = nil,
        transient isTransient: Bool = false,
        derivation derivationExpression: String? = nil,
        minimum: PropertyValue? = nil,
        maximum: PropertyValue? = nil,
        regularExpression: String? = nil,
        validations: [ValidationRule] = [],
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        searchable search: TextSearch? = nil,
        mergeRule: MergeRule = .lastWriter,
        allowsExternalBinaryDataStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.valueTransformerName = valueTransformerName
        self.valueClassName = valueClassName
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.derivationExpression = derivationExpression
        self.defaultValue = defaultValue
        self.minimum = minimum
        self.maximum = maximum
        self.regularExpression = regularExpression
        self.validations = validations
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.search = search
        self.mergeRule = mergeRule
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.userInfo = userInfo
    }
}

extension AttributeDeclaration {
    /// True if the value is computed from other properties and never set by the app.
    package var isDerived: Bool { derivationExpression != nil }
    /// True if the value has a column in the store and is sent to other replicas.
    var isStored: Bool { !isTransient && !isDerived }
}
