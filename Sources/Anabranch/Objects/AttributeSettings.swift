public import AnabranchModel
public import AnabranchReplication

/// A flag of an attribute in a class with `@Entity`: `@Attribute(.unique) var code: String?`.
public struct AttributeOption: Hashable, Sendable {
    private enum Name: Hashable {
        case unique
        case indexed
        case transient
        case externalStorage
        case preserveValueOnDeletion
        case composite
        case searchable(TextSearch)
    }

    private let name: Name

    /// Two objects of the entity never have the same value. The macro ``Unique(_:)`` makes several
    /// attributes unique together.
    public static let unique = AttributeOption(name: .unique)
    /// The store has an index over the attribute, which makes fetches faster. The macro
    /// ``Index(_:)`` makes an index over several properties.
    public static let indexed = AttributeOption(name: .indexed)
    /// The value is tracked and validated, but never stored or sent.
    public static let transient = AttributeOption(name: .transient)
    /// The model keeps this setting for tools; the store keeps every value in its row.
    public static let externalStorage = AttributeOption(name: .externalStorage)
    /// The history keeps the value when its object is deleted.
    public static let preserveValueOnDeletion = AttributeOption(name: .preserveValueOnDeletion)
    /// The store has an index of the words of the text, so that
    /// `title MATCHES[s] 'swift sync'` finds them.
    public static let searchable = AttributeOption.searchable(prefixes: [])

    /// The same, with an index of the beginnings of words, which makes a search for `syn*` as fast
    /// as one for a whole word.
    ///
    /// - Parameter prefixes: The lengths of the beginnings, in characters.
    public static func searchable(prefixes: [Int]) -> AttributeOption {
        AttributeOption(name: .searchable(TextSearch(prefixLengths: prefixes)))
    }

    var search: TextSearch? { if case .searchable(let search) = name { search } else { nil } }

    /// The attribute is composed of elements: its type is a struct that conforms to
    /// ``CompositeValue``.
    public static let composite = AttributeOption(name: .composite)
}

/// The settings of an attribute, as the mark `@Attribute` gives them.
public struct AttributeSettings {
    let options: Set<AttributeOption>
    let group: String?
    /// The attribute with all settings, but without its name and its type.
    private let template: AttributeDeclaration

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - options: Flags.
    ///   - originalName: The name of the attribute in an earlier version of the model.
    ///   - wireName: The name on the wire, if it is neither the original name nor the name.
    ///   - minimum: The least value, or the least length of a text.
    ///   - maximum: The greatest value, or the greatest length of a text.
    ///   - regularExpression: A regular expression that the whole text must match.
    ///   - validations: Further conditions on the value.
    ///   - derivation: The expression from which the store computes the value.
    ///   - mergeRule: The rule that merges concurrent writes of different replicas.
    ///   - group: The name of the attribute group; its members merge as one value.
    ///   - hashModifier: A text that makes the version of the model another one.
    ///   - userInfo: Any texts for the app or for tools.
    public init(
        _ options: AttributeOption..., originalName: String? = nil, wireName: String? = nil,
        minimum: PropertyValue? = nil, maximum: PropertyValue? = nil,
        regularExpression: String? = nil,
        validations: [ValidationRule] = [], derivation: String? = nil,
        mergeRule: MergeRule = .lastWriter, group: String? = nil, hashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.options = Set(options)
        self.group = group
        template = AttributeDeclaration(
            "", .undefined, transient: options.contains(.transient), derivation: derivation,
            minimum: minimum, maximum: maximum, regularExpression: regularExpression,
            validations: validations, wireName: wireName, renamingIdentifier: originalName,
            versionHashModifier: hashModifier,
            searchable: options.lazy.compactMap(\.search).first, mergeRule: mergeRule,
            allowsExternalBinaryDataStorage: options.contains(.externalStorage),
            preservesValueInHistoryOnDeletion: options.contains(.preserveValueOnDeletion),
            userInfo: userInfo)
    }

    var isDerived: Bool { template.isDerived }

    /// The composite attribute with these settings, without elements.
    func compositeAttribute(_ name: String) -> CompositeAttribute {
        CompositeAttribute(
            name, transient: template.isTransient, wireName: template.wireName,
            renamingIdentifier: template.renamingIdentifier,
            versionHashModifier: template.versionHashModifier, userInfo: template.userInfo)
    }

    /// The reason why a composite attribute can't have these settings, as a clause.
    var objectionToComposite: String? {
        let usual = AttributeDeclaration(
            "", .undefined, transient: template.isTransient, wireName: template.wireName,
            renamingIdentifier: template.renamingIdentifier,
            versionHashModifier: template.versionHashModifier, userInfo: template.userInfo)
        guard usual == template, group == nil, options.isSubset(of: [.composite, .transient]) else {
            return "its mark has a setting of single values, which only an element can have; move "
                + "it to the property of the struct"
        }
        return nil
    }

    /// The attribute with these settings.
    func attribute(_ name: String, _ type: AttributeType, optional: Bool) -> AttributeDeclaration {
        var attribute = template
        attribute.name = name
        attribute.type = type
        attribute.isOptional = optional
        return attribute
    }
}
