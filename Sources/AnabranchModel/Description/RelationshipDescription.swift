public import AnabranchReplication

/// A relationship of a checked model.
///
/// Equal only to itself: two models have different descriptions, however alike.
public final class RelationshipDescription: Sendable {
    public let name: String
    /// The place of the value in an object of the declaring entity and of every sub-entity.
    public let slot: Int
    public let isToMany: Bool
    /// Whether a to-many is a list.
    public let isOrdered: Bool
    /// Whether it, or the to-one back, was declared so: nobody is above himself.
    public var isAcyclic: Bool {
        !isToMany && (declaration.isAcyclic || inverse?.declaration.isAcyclic == true)
    }
    public let isOptional: Bool
    public let minCount: Int
    /// `nil`: unbounded. Of a to-one, 1.
    public let maxCount: Int?
    public let deleteRule: DeleteRule
    public let storage: RelationshipStorage
    /// What merges with what: the property of the side that is stored (``storedSide``), the same
    /// for both inverses.
    public let wireProperty: WireProperty
    /// As it was declared, in the model's canonical form.
    public let declaration: Relationship

    private let graph: ModelGraph
    private let entityIndex: Int
    private let destinationIndex: Int
    private let inversePlace: PropertyPlace?

    init(
        _ declaration: Relationship, at place: PropertyPlace, storage: RelationshipStorage,
        destination: Int, inverse: PropertyPlace?, wireProperty: WireProperty, graph: ModelGraph
    ) {
        self.declaration = declaration
        name = declaration.name
        slot = place.slot
        isToMany = declaration.isToMany
        isOrdered = declaration.isOrdered
        isOptional = declaration.isOptional
        minCount = declaration.minCount
        maxCount = declaration.maxCount
        deleteRule = declaration.deleteRule
        self.storage = storage
        self.wireProperty = wireProperty
        self.graph = graph
        entityIndex = place.entity
        destinationIndex = destination
        inversePlace = inverse
    }

    /// The entity that declares the relationship.
    public var entity: EntityDescription { graph.entities[entityIndex] }
    /// The entity at the other end; its sub-entities' objects fit too.
    public var destination: EntityDescription { graph.entities[destinationIndex] }
    /// The relationship back; the relationship itself where it is its own inverse.
    public var inverse: RelationshipDescription? {
        guard let inversePlace else { return nil }
        return graph.entities[inversePlace.entity].slots[inversePlace.slot].relationship
    }
    /// Whether the relationship is a reference into a list, where its object has a place: the two
    /// are one register (``ListEntry``).
    public var isListEntry: Bool { storage == .reference && inverse?.isOrdered == true }
    /// Whether a save may deny to delete whom this reference leads to: until then it leads there.
    package var keepsTarget: Bool { storage == .reference && inverse?.deleteRule == .deny }
    /// Of this relationship and its inverse, the one that is stored and sent, by its entity's and
    /// its own wire name.
    public var storedSide: RelationshipDescription {
        switch storage {
        case .reference, .links(.left), .links(.both): self
        case .inverseReference, .links(.right): inverse ?? self
        }
    }
    /// Relationships are always stored; here for symmetry with attributes.
    public var isTransient: Bool { false }
    public var userInfo: [String: String] { declaration.userInfo }
    /// The validations.
    package var rules: [RelationshipRule] { graph.rules(of: self) }
}

extension RelationshipDescription: Hashable {
    public static func == (
        left: RelationshipDescription, right: RelationshipDescription
    ) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RelationshipDescription: CustomStringConvertible {
    /// `Person.boss`.
    public var description: String { "\(entity.name).\(name)" }
}
