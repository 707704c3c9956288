/// A relationship as a model declares it.
public struct RelationshipDeclaration: Hashable, Sendable {
    /// The name; unique among the properties of the entity and its hierarchy.
    package var name: String
    /// The name of the entity at the other end; its sub-entities' objects are allowed too.
    package var destination: String
    /// True if the relationship can refer to more than one object.
    package var isToMany: Bool
    /// True if a saved object may have no object at the other end.
    package var isOptional: Bool
    /// True if the relationship exists only in the memory of a context.
    ///
    /// It is neither stored nor sent. Its inverse is transient too.
    package var isTransient: Bool
    /// True if a to-many is a list; the order merges too.
    ///
    /// Never change it once a store has data: an ordered relationship is another wire property.
    package var isOrdered: Bool
    /// True if references along this to-one must not form a cycle, as in a tree.
    ///
    /// A save that would form a cycle is refused. If concurrent saves form one, the edge that was
    /// written last reads nil until the cycle is resolved.
    package var isAcyclic: Bool
    /// The least number of objects at the other end, checked when a local change is saved.
    ///
    /// If the relationship is optional, it may also be empty.
    package var minCount: Int
    /// The greatest number of objects at the other end; 1 for a to-one, `nil` is no limit.
    package var maxCount: Int?
    /// The effect of deleting an object on the objects at the other end.
    package var deleteRule: DeleteRule
    /// Further conditions on the objects at the other end, checked in this order.
    ///
    /// They are checked when an object is saved after a change of this relationship.
    package var validations: [ValidationRule]
    /// The name of the inverse, which the destination or one of its super-entities declares.
    package var inverse: String?
    /// The name on the wire; `nil` uses the renaming identifier, or else the name.
    ///
    /// Never change it once a store has data: it also decides which of two inverses is stored.
    package var wireName: String?
    /// The name of the relationship in an earlier version of the model.
    package var renamingIdentifier: String?
    /// A text that makes the version another one, though nothing else differs.
    ///
    /// A store then opens with the model only by a migration, as after a change of the schema.
    package var versionHashModifier: String?
    /// Any texts for the app or for tools; nothing in Anabranch reads them.
    package var userInfo: [String: String]

    /// Declares a relationship to at most one object.
    public init(
        _ name: String,
        to destination: String,
        optional isOptional: Bool = true,
        transient isTransient: Bool = false,
        acyclic isAcyclic: Bool = false,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify,
        validations: [ValidationRule] = [],
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.isAcyclic = isAcyclic
        isToMany = false
        self.isOptional = isOptional
        self.isTransient = isTransient
        isOrdered = false
        minCount = 0
        maxCount = 1
        self.deleteRule = deleteRule
        self.validations = validations
        self.inverse = inverse
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }

    /// Declares a relationship to any number of objects.
    public init(
        _ name: String,
        toMany destination: String,
        optional isOptional: Bool = true,
        transient isTransient: Bool = false,
        ordered isOrdered: Bool = false,
        minCount: Int = 0,
        maxCount: Int? = nil,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify,
        validations: [ValidationRule] = [],
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.init(
            name, to: destination, optional: isOptional, transient: isTransient, inverse: inverse,
            deleteRule: deleteRule, validations: validations, wireName: wireName,
            renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier,
            userInfo: userInfo)
        isToMany = true
        self.isOrdered = isOrdered
        self.minCount = minCount
        self.maxCount = maxCount
    }
}
