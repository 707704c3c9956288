/// An entity as a model declares it.
public struct EntityDeclaration: Hashable, Sendable {
    /// The name; unique in the model.
    package var name: String
    /// The name of the super-entity; this entity inherits its properties.
    package var parent: String?
    /// True if the entity itself has no objects, only its sub-entities have.
    package var isAbstract: Bool
    /// The attributes that the entity declares itself, without inherited ones.
    package var attributes: [AttributeDeclaration]
    /// The composite attributes that the entity declares itself, without inherited ones.
    package var compositeAttributes: [CompositeAttribute]
    /// The relationships that the entity declares itself, without inherited ones.
    package var relationships: [RelationshipDeclaration]
    /// The fetch indexes that the entity declares itself.
    package var indexes: [IndexDeclaration]
    /// The uniqueness constraints that the entity declares itself.
    package var uniquenessConstraints: [UniquenessConstraint]
    /// The fetched properties that the entity declares itself; sub-entities inherit them.
    package var fetchedProperties: [FetchedProperty]
    /// The attribute groups that the entity declares itself; sub-entities inherit them.
    package var attributeGroups: [AttributeGroup]
    /// The class name in a model file. The object graph ignores it: the app registers its classes.
    package var representedClassName: String?
    /// The name on the wire; `nil` uses the renaming identifier, or else the name.
    ///
    /// Never change it once a store has data.
    package var wireName: String?
    /// The name of the entity in an earlier version of the model.
    package var renamingIdentifier: String?
    /// The delete policy of the entity and its sub-entities.
    ///
    /// If a super-entity has `updateWins`, this entity has it too.
    package var deletePolicy: DeletePolicy
    /// A text that makes the version another one, though nothing else differs.
    ///
    /// A store then opens with the model only by a migration, as after a change of the schema.
    package var versionHashModifier: String?
    /// Any texts for the app or for tools; nothing in Anabranch reads them.
    package var userInfo: [String: String]

    /// Declares an entity. The parameters set the properties with the same names.
    ///
    /// - Parameter content: The attributes, relationships, indexes, constraints and groups.
    public init(
        _ name: String,
        parent: String? = nil,
        isAbstract: Bool = false,
        representedClassName: String? = nil,
        wireName: String? = nil,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        deletePolicy: DeletePolicy = .deleteWins,
        userInfo: [String: String] = [:],
        @EntityBuilder _ content: () -> [EntityBuilder.Element] = { [] }
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.representedClassName = representedClassName
        self.wireName = wireName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.deletePolicy = deletePolicy
        self.userInfo = userInfo
        attributes = []
        compositeAttributes = []
        relationships = []
        indexes = []
        uniquenessConstraints = []
        fetchedProperties = []
        attributeGroups = []
        for element in content() { element.add(&self) }
    }
}
