/// A relationship as a model declares it.
public struct Relationship: Hashable, Sendable {
    public var name: String
    /// The name of the entity at the other end; objects of its sub-entities fit too.
    public var destination: String
    public var isToMany: Bool
    /// Whether a saved object may have nothing at the other end.
    public var isOptional: Bool
    /// Whether a to-many is a list: its objects have an order, which merges. Never change it once a
    /// store has data: what is ordered is another property of the wire.
    public var isOrdered: Bool
    /// Whether a to-one makes a tree: nobody can be above himself. A save that would make a cycle
    /// is refused; one that concurrent saves have made is cut at the edge that was written last,
    /// which reads nil until the cycle is resolved.
    public var isAcyclic: Bool
    /// How few objects may be at the other end when a local change of the relationship is saved;
    /// where it is optional, none at all is right, too.
    public var minCount: Int
    /// `nil`: unbounded. Of a to-one, 1.
    public var maxCount: Int?
    public var deleteRule: DeleteRule
    /// Further conditions of what is at the other end, asked in this order when an object is saved
    /// whose relationship has changed.
    public var validations: [ValidationRule]
    /// The name of the relationship back, at the destination or one of its super-entities.
    public var inverse: String?
    /// The name on the wire; `nil`: the renaming identifier, else the name. It also decides which
    /// of two inverses is stored, so never change it once a store has data.
    public var wireName: String?
    /// The name that the relationship had in the model before.
    public var renamingIdentifier: String?
    public var userInfo: [String: String]

    /// Declares a relationship to at most one object.
    public init(
        _ name: String,
        to destination: String,
        optional isOptional: Bool = true,
        acyclic isAcyclic: Bool = false,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify,
        validations: [ValidationRule] = [],
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.isAcyclic = isAcyclic
        isToMany = false
        self.isOptional = isOptional
        isOrdered = false
        minCount = 0
        maxCount = 1
        self.deleteRule = deleteRule
        self.validations = validations
        self.inverse = inverse
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }

    /// Declares a relationship to any number of objects.
    public init(
        _ name: String,
        toMany destination: String,
        optional isOptional: Bool = true,
        ordered isOrdered: Bool = false,
        minCount: Int = 0,
        maxCount: Int? = nil,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify,
        validations: [ValidationRule] = [],
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        isToMany = true
        isAcyclic = false
        self.isOptional = isOptional
        self.isOrdered = isOrdered
        self.minCount = minCount
        self.maxCount = maxCount
        self.deleteRule = deleteRule
        self.validations = validations
        self.inverse = inverse
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}
