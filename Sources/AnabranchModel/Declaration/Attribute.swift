public import AnabranchReplication

/// An attribute as a model declares it.
public struct Attribute: Hashable, Sendable {
    public var name: String
    public var type: AttributeType
    /// Of a transformable attribute, the name under which programs register the transformer that
    /// turns its values into bytes and back; `nil`: the default one.
    public var valueTransformerName: String?
    /// Of a transformable attribute, the Swift type of its values, for a tool that writes classes.
    /// Stores know nothing of it: it is no part of the model's canonical encoding.
    public var valueClassName: String?
    /// Whether a saved object may lack a value.
    public var isOptional: Bool
    /// Whether the value is tracked and validated, but never stored or sent.
    public var isTransient: Bool
    /// Of a derived attribute, what its value is computed from; see
    /// ``AttributeDescription/derivationExpression`` for the forms. `nil`: the app sets the value.
    public var derivationExpression: String?
    /// What a new object starts with. A literal of another case is brought to the type's own.
    public var defaultValue: Value?
    /// The least value; of a string, the least length in UTF-16 units. Inclusive.
    public var minimum: Value?
    /// The greatest value; of a string, the greatest length in UTF-16 units. Inclusive.
    public var maximum: Value?
    /// What the whole text of a string has to match (ICU's syntax).
    public var regularExpression: String?
    /// Further conditions of the value, asked in this order when an object is saved.
    public var validations: [ValidationRule]
    /// The name on the wire; `nil`: the renaming identifier, else the name. Never change it once
    /// a store has data: what has another wire name is another property.
    public var wireName: String?
    /// The name that the attribute had in the model before.
    public var renamingIdentifier: String?
    public var mergeRule: MergeRule
    /// Kept for readers of models; values are always stored inline.
    public var allowsExternalBinaryDataStorage: Bool
    /// Whether the value is kept in the history when its object is deleted.
    public var preservesValueInHistoryOnDeletion: Bool
    public var userInfo: [String: String]

    public init(
        _ name: String,
        _ type: AttributeType,
        transformer valueTransformerName: String? = nil,
        className valueClassName: String? = nil,
        optional isOptional: Bool = true,
        default defaultValue: Value? = nil,
        transient isTransient: Bool = false,
        derivation derivationExpression: String? = nil,
        minimum: Value? = nil,
        maximum: Value? = nil,
        regularExpression: String? = nil,
        validations: [ValidationRule] = [],
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
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
        self.mergeRule = mergeRule
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.userInfo = userInfo
    }
}

extension Attribute {
    public var isDerived: Bool { derivationExpression != nil }
    /// Whether the value is kept in the store and sent, so that others have to know it.
    var isStored: Bool { !isTransient && !isDerived }
}
