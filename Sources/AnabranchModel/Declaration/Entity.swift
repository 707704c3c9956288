/// An entity as a model declares it.
public struct Entity: Hashable, Sendable {
    /// Unique in the model.
    public var name: String
    /// The name of the super-entity, whose properties this entity has too.
    public var parent: String?
    /// Whether only sub-entities have objects.
    public var isAbstract: Bool
    /// Its own; inherited ones are not repeated.
    public var attributes: [Attribute]
    /// Its own; inherited ones are not repeated.
    public var relationships: [Relationship]
    public var indexes: [Index]
    public var uniquenessConstraints: [Unique]
    /// Its own; sub-entities have them too.
    public var attributeGroups: [AttributeGroup]
    /// The class that a model file names; the object graph is given classes by the app.
    public var representedClassName: String?
    /// The name on the wire; `nil`: the renaming identifier, else the name. Never change it once
    /// a store has data.
    public var wireName: String?
    /// The name that the entity had in the model before.
    public var renamingIdentifier: String?
    /// Of this entity and its sub-entities; `updateWins` of a super-entity holds here too.
    public var deletePolicy: DeletePolicy
    public var userInfo: [String: String]

    public init(
        _ name: String,
        parent: String? = nil,
        isAbstract: Bool = false,
        representedClassName: String? = nil,
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        deletePolicy: DeletePolicy = .deleteWins,
        userInfo: [String: String] = [:],
        @EntityBuilder _ content: () -> [EntityElement] = { [] }
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.representedClassName = representedClassName
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.deletePolicy = deletePolicy
        self.userInfo = userInfo
        attributes = []
        relationships = []
        indexes = []
        uniquenessConstraints = []
        attributeGroups = []
        for element in content() {
            switch element {
            case .attribute(let attribute): attributes.append(attribute)
            case .relationship(let relationship): relationships.append(relationship)
            case .index(let index): indexes.append(index)
            case .unique(let constraint): uniquenessConstraints.append(constraint)
            case .group(let group): attributeGroups.append(group)
            }
        }
    }
}
