public import AnabranchReplication

/// An attribute of a checked model.
///
/// It is equal only to itself: descriptions of two models differ even if the models are equal.
public final class AttributeDescription: Sendable {
    /// The name.
    public let name: String
    /// The slot of the value in objects of the declaring entity and of every sub-entity.
    package let slot: Int
    /// The type, which decides the values that the attribute can hold.
    public let type: AttributeType
    /// True if a saved object may have no value.
    public let isOptional: Bool
    /// True if the value is neither stored nor sent.
    public let isTransient: Bool
    /// The declared default; `null` if the model gives none.
    public let defaultValue: PropertyValue
    /// The value of a newly inserted object: the default.
    ///
    /// It is `null` for an element of a composite attribute that may be without a value, or that is
    /// inside of one: its default counts once the composite attribute has a value.
    package let initialValue: PropertyValue
    /// True for an element of a composite attribute; the name is then its path: `address.city`.
    package let isElement: Bool
    /// The name, type and merge rule under which changes are sent and merged.
    ///
    /// A member of a group has the group's. A transient attribute has one too, but is never sent.
    package let wireProperty: WireProperty
    /// True if the value is computed from other properties: see ``derivationExpression``.
    public let isDerived: Bool
    /// The declaration in the model's canonical form.
    package let declaration: AttributeDeclaration

    let graph: ModelGraph
    private let entityIndex: Int
    /// The position of its group among the entity's groups.
    private let groupIndex: Int?
    /// True if the attribute is in a group; can be read before the entities exist.
    var isInGroup: Bool { groupIndex != nil }
    /// True if there are bounds, an expression or validations to check a value against.
    package let hasRestrictions: Bool

    /// Describes a declared attribute.
    ///
    /// - Parameters:
    ///   - group: The group of the attribute, with its position among the entity's groups.
    ///   - hasInitialValue: False if a new object does not have the default.
    init(
        _ declaration: AttributeDeclaration, at place: PropertyLocation,
        group: (index: Int, name: String)?, hasInitialValue: Bool, graph: ModelGraph
    ) {
        self.declaration = declaration
        name = declaration.name
        slot = place.slot
        type = declaration.type
        isOptional = declaration.isOptional
        isTransient = declaration.isTransient
        isDerived = declaration.isDerived
        defaultValue = declaration.defaultValue ?? .null
        initialValue = hasInitialValue ? declaration.defaultValue ?? .null : .null
        isElement = declaration.name.utf8.contains(UInt8(ascii: "."))
        wireProperty =
            group.map { AttributeGroupDescription.wireProperty(named: $0.name) }
            ?? WireProperty(
                name: WireName(declaration.resolvedWireName), type: declaration.type.wireType,
                rule: declaration.mergeRule)
        groupIndex = group?.index
        hasRestrictions =
            declaration.minimum != nil || declaration.maximum != nil
            || declaration.regularExpression != nil || !declaration.validations.isEmpty
        self.graph = graph
        entityIndex = place.entity
    }

    /// The entity that declares the attribute.
    public var entity: EntityDescription { graph.entities[entityIndex] }
    /// The attribute's group; its members are written, sent and merged together.
    package var group: AttributeGroupDescription? {
        groupIndex.map { entity.attributeGroups[$0] }
    }
    /// The expression that the value is computed from, in one of Core Data's forms:
    ///
    /// - `now()`: the time of the last save that wrote an attribute or a to-one of the object;
    /// - `name`, `author.name`: the value of an attribute, through to-one relationships;
    /// - `canonical:(name)`, `lowercase:(name)`, `uppercase:(name)`: such a text without case and
    ///   diacritical marks, in lower or in upper case;
    /// - `articles.@count`: the number of objects at the other end of a to-many relationship;
    /// - `articles.price.@sum`: the sum of an attribute of these objects.
    ///
    /// The value is nil before the first save. The store computes it whenever the object is read,
    /// saved or merged; it is neither stored nor sent.
    public var derivationExpression: String? { declaration.derivationExpression }
    /// The derivation that was read from the expression; `nil` if the attribute is not derived.
    package var derivation: Derivation? { isDerived ? graph.derivation(of: self) : nil }
    /// True if the value has a column in the store and is sent.
    package var isStored: Bool { !isTransient && !isDerived }
    /// True under the merge rule `keepBoth`: the attribute can hold several concurrent values, of
    /// which it shows the latest.
    package var keepsBoth: Bool { wireProperty.rule == .keepBoth }
    /// The index of the words of a text, by which it can be searched; `nil` without one.
    public var search: TextSearch? { declaration.search }
    /// The least value, or the least length of a text; `nil` is no limit.
    public var minimum: PropertyValue? { declaration.minimum }
    /// The greatest value, or the greatest length of a text; `nil` is no limit.
    public var maximum: PropertyValue? { declaration.maximum }
    /// The rule by which concurrent writes of the attribute are merged.
    public var mergeRule: MergeRule { declaration.mergeRule }
    /// The declaration's texts for the app or for tools.
    public var userInfo: [String: String] { declaration.userInfo }
    /// The name of a transformable attribute's transformer; `nil` is the default transformer.
    public var valueTransformerName: String? { declaration.valueTransformerName }
}

extension AttributeDescription: Hashable {
    /// Returns true if both are the same description.
    public static func == (left: AttributeDescription, right: AttributeDescription) -> Bool {
        left === right
    }

    /// Hashes the identity of the description.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AttributeDescription: CustomStringConvertible {
    /// The entity and the name, such as `Person.age`.
    public var description: String { "\(entity.name).\(name)" }
}
