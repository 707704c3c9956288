package import AnabranchReplication

/// A relationship of a checked model.
///
/// It is equal only to itself: descriptions of two models differ even if the models are equal.
public final class RelationshipDescription: Sendable {
    /// The name.
    public let name: String
    /// The slot of the value in objects of the declaring entity and of every sub-entity.
    package let slot: Int
    /// True if the relationship can refer to more than one object.
    public let isToMany: Bool
    /// True if a to-many is a list.
    public let isOrdered: Bool
    /// True if references along this to-one must not form a cycle.
    ///
    /// It is true if the declaration of this relationship or of its inverse says so.
    public var isAcyclic: Bool {
        !isToMany && (declaration.isAcyclic || inverse?.declaration.isAcyclic == true)
    }
    /// True if a saved object may have no object at the other end.
    public let isOptional: Bool
    /// The least number of objects at the other end.
    public let minCount: Int
    /// The greatest number of objects at the other end; 1 for a to-one, `nil` is no limit.
    public let maxCount: Int?
    /// The effect of deleting an object on the objects at the other end.
    public let deleteRule: DeleteRule
    /// The form in which this side is stored.
    package let storage: RelationshipStorage
    /// The name, type and merge rule under which changes are sent and merged.
    ///
    /// It is the property of the stored side (``storedSide``), the same for both inverses. A
    /// transient relationship has one too, but is never sent.
    package let wireProperty: WireProperty
    /// The declaration in the model's canonical form.
    package let declaration: RelationshipDeclaration

    let graph: ModelGraph
    private let entityIndex: Int
    private let destinationIndex: Int
    private let inversePlace: PropertyLocation?

    init(
        _ declaration: RelationshipDeclaration, at place: PropertyLocation,
        storage: RelationshipStorage,
        destination: Int, inverse: PropertyLocation?, wireProperty: WireProperty, graph: ModelGraph
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
        isMutual = storage == .reference && inverse == place
        self.wireProperty = wireProperty
        self.graph = graph
        entityIndex = place.entity
        destinationIndex = destination
        inversePlace = inverse
    }

    /// The entity that declares the relationship.
    public var entity: EntityDescription { graph.entities[entityIndex] }
    /// The entity at the other end; its sub-entities' objects are allowed too.
    public var destination: EntityDescription { graph.entities[destinationIndex] }
    /// The inverse; the relationship itself if it is its own inverse; `nil` without an inverse.
    public var inverse: RelationshipDescription? {
        guard let inversePlace else { return nil }
        return graph.entities[inversePlace.entity].slots[inversePlace.slot].relationship
    }
    /// True if the relationship is the to-one side of an ordered to-many.
    ///
    /// The reference and the position in the list then form one register (`ListEntry`).
    package var isListEntry: Bool { storage == .reference && inverse?.isOrdered == true }
    /// True if the relationship is a to-one that is its own inverse.
    ///
    /// Both objects then hold a reference to the other one, and it shows only if they agree.
    package let isMutual: Bool
    /// True if the inverse has the rule deny, so a save may refuse to delete the target.
    ///
    /// Until that save, the reference keeps its target.
    package var keepsTarget: Bool { storage == .reference && inverse?.deleteRule == .deny }
    /// The side of this relationship and its inverse that is stored and sent, or that would be if
    /// the two were not transient.
    ///
    /// The wire names of the entities and properties decide which side it is.
    package var storedSide: RelationshipDescription {
        switch storage {
        case .reference, .links(.left), .links(.both), .memory(.left), .memory(.both): self
        case .inverseReference, .links(.right), .memory(.right): inverse ?? self
        }
    }
    /// The wire name of this side itself, which is sent only if this is the stored side.
    package var declaredWireName: WireName { WireName(declaration.resolvedWireName) }
    /// True if the relationship is neither stored nor sent.
    public var isTransient: Bool { declaration.isTransient }
    /// The declaration's texts for the app or for tools.
    public var userInfo: [String: String] { declaration.userInfo }
}

extension RelationshipDescription: Hashable {
    /// Returns true if both are the same description.
    public static func == (
        left: RelationshipDescription, right: RelationshipDescription
    ) -> Bool { left === right }

    /// Hashes the identity of the description.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RelationshipDescription: CustomStringConvertible {
    /// The entity and the name, such as `Person.boss`.
    public var description: String { "\(entity.name).\(name)" }
}
