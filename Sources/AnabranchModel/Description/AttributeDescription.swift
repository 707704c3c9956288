public import AnabranchReplication

/// An attribute of a checked model.
///
/// Equal only to itself: two models have different descriptions, however alike.
public final class AttributeDescription: Sendable {
    public let name: String
    /// The place of the value in an object of the declaring entity and of every sub-entity.
    public let slot: Int
    public let type: AttributeType
    public let isOptional: Bool
    /// Whether the value is neither stored nor sent.
    public let isTransient: Bool
    /// What a new object starts with; `null` where the model gives none.
    public let defaultValue: Value
    /// What merges with what; of a member of a group, the group's. A transient attribute has one
    /// too, which never travels.
    public let wireProperty: WireProperty
    /// Whether the value is computed from others, and not set by the app: see
    /// ``derivationExpression``.
    public let isDerived: Bool
    /// As it was declared, in the model's canonical form.
    public let declaration: Attribute

    private let graph: ModelGraph
    private let entityIndex: Int
    /// Among the entity's groups.
    private let groupIndex: Int?
    /// Known before the entities are.
    var isInGroup: Bool { groupIndex != nil }
    let expression: WholeTextExpression?
    /// The validations.
    let rules: [(rule: ValidationRule, predicate: ValuePredicate)]
    /// Whether there are bounds, an expression or validations to check a value against.
    package let hasRestrictions: Bool

    /// - Parameters:
    ///   - entityName: Of the declaring entity.
    ///   - group: That the attribute is a member of, and its place among the entity's.
    init(
        _ declaration: Attribute, of entityName: String, at place: PropertyPlace,
        group: (index: Int, name: String)?, graph: ModelGraph
    ) {
        self.declaration = declaration
        name = declaration.name
        slot = place.slot
        type = declaration.type
        isOptional = declaration.isOptional
        isTransient = declaration.isTransient
        isDerived = declaration.isDerived
        defaultValue = declaration.defaultValue ?? .null
        wireProperty =
            group.map { AttributeGroupDescription.wireProperty(named: $0.name) }
            ?? WireProperty(
                name: WireName(declaration.resolvedWireName), type: declaration.type.wireType,
                rule: declaration.mergeRule)
        groupIndex = group?.index
        expression = declaration.regularExpression.flatMap { WholeTextExpression($0) }
        // The check of the model has read them before, in the same way.
        rules = declaration.validations.compactMap { rule in
            (try? ValuePredicate(rule.predicateFormat, of: declaration, entity: entityName))
                .map { (rule, $0) }
        }
        hasRestrictions =
            declaration.minimum != nil || declaration.maximum != nil || expression != nil
            || !rules.isEmpty
        self.graph = graph
        entityIndex = place.entity
    }

    /// The entity that declares the attribute.
    public var entity: EntityDescription { graph.entities[entityIndex] }
    /// The group that the attribute is a member of: it is written, sent and merged with the others.
    public var group: AttributeGroupDescription? {
        groupIndex.map { entity.attributeGroups[$0] }
    }
    /// What a derived attribute is computed from, in one of Core Data's forms:
    ///
    /// - `now()`: the time of the last save that wrote an attribute or a to-one of the object;
    /// - `name`, `author.name`: the value of an attribute, through to-one relationships;
    /// - `canonical:(name)`, `lowercase:(name)`, `uppercase:(name)`: such a text without case and
    ///   diacritical marks, in lower or in upper case;
    /// - `articles.@count`: how many objects are at the other end of a to-many relationship;
    /// - `articles.price.@sum`: the sum of an attribute of these.
    ///
    /// It is nil until the object is saved first, and what the store makes of it whenever the
    /// object is read, saved or merged. It is neither stored nor sent.
    public var derivationExpression: String? { declaration.derivationExpression }
    /// The expression as the model understands it; of a derived attribute there is one.
    package var derivation: Derivation? { isDerived ? graph.derivation(of: self) : nil }
    /// Whether the value has a column in the store and is sent.
    package var isStored: Bool { !isTransient && !isDerived }
    public var userInfo: [String: String] { declaration.userInfo }
    /// Of a transformable attribute; `nil`: the default transformer.
    public var valueTransformerName: String? { declaration.valueTransformerName }
}

extension AttributeDescription: Hashable {
    public static func == (left: AttributeDescription, right: AttributeDescription) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AttributeDescription: CustomStringConvertible {
    /// `Person.age`.
    public var description: String { "\(entity.name).\(name)" }
}
