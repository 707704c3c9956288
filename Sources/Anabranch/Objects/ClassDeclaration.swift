public import AnabranchModel

/// An entity as its class declares it, before the classes of a model are combined.
///
/// The macro `@Entity` generates it; a class by hand can override
/// ``ManagedObject/entityDeclaration`` in the same form. The properties are in any order.
public struct ClassDeclaration {
    /// A relationship with a class instead of an entity at its other end.
    struct ClassRelationship {
        var relationship: RelationshipDeclaration
        let destination: Any.Type
        let inverse: RelationshipSettings.Inverse

        var name: String { relationship.name }
    }

    let type: ManagedObject.Type
    /// The entity without its super-entity and its relationships.
    private(set) var entity: EntityDeclaration
    private(set) var relationships: [ClassRelationship] = []
    /// The fetched properties without their entities, with the classes of their objects.
    private(set) var fetchedProperties: [(property: FetchedProperty, destination: Any.Type)] = []
    private(set) var problems: [ModelError] = []

    /// Declares the entity of a class, without properties.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - isAbstract: True if only sub-entities have objects.
    ///   - originalName: The name of the entity in an earlier version of the model.
    ///   - wireName: The name on the wire, if it is neither the original name nor the name.
    ///   - deletePolicy: The result of a delete and a concurrent change of one object.
    ///   - hashModifier: A text that makes the version another one.
    ///   - userInfo: Any texts for the app or for tools.
    public init(
        of type: ManagedObject.Type, isAbstract: Bool = false, originalName: String? = nil,
        wireName: String? = nil, deletePolicy: DeletePolicy = .deleteWins,
        hashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.type = type
        entity = EntityDeclaration(
            type.entityName, isAbstract: isAbstract, wireName: wireName,
            renamingIdentifier: originalName, versionHashModifier: hashModifier,
            deletePolicy: deletePolicy, userInfo: userInfo)
    }

    private mutating func refuse(_ code: ModelError.Code, _ property: String, _ message: String) {
        problems.append(ModelError(code, entity: entity.name, property: property, message))
    }

    /// A property in messages, such as `Note.title`.
    func path(_ name: String) -> String { "\(type).\(name)" }
}

// MARK: - Attributes

extension ClassDeclaration {
    /// Declares an attribute; an optional type makes an optional attribute.
    ///
    /// A derived attribute is always optional, because a new object has no value until it is saved.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - settings: What the mark `@Attribute` says.
    ///   - initially: Returns the default value, the same one each time.
    public mutating func attribute<T: AttributeValue>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings = AttributeSettings(),
        initially: (() throws -> T)? = nil
    ) {
        let declared = DeclaredAttribute(name, type, settings, initially, path: path(name))
        for problem in declared.problems { refuse(problem.code, name, problem.message) }
        add(declared.attribute, settings)
    }

    /// Declares an attribute of a type that can't be stored. The compiler reports such a type at
    /// the property's accessors.
    @_disfavoredOverload
    public mutating func attribute<T>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings = AttributeSettings(),
        initially: (() throws -> T)? = nil
    ) {
        refuse(
            .invalidProperty, name,
            "Can't use \(path(name)) because \(T.self) does not conform to AttributeValue; let it "
                + "conform, or mark the property @Transformable or @Transient.")
    }

    /// Declares an attribute that a transformer stores as bytes.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - transformer: The name of the transformer; `nil` is the default one.
    ///   - settings: What the mark `@Attribute` says.
    public mutating func transformable(
        _ name: String, by transformer: String? = nil,
        _ settings: AttributeSettings = AttributeSettings()
    ) {
        var attribute = settings.attribute(name, .transformable, optional: true)
        attribute.valueTransformerName = transformer
        add(attribute, settings)
    }

    private mutating func add(_ attribute: AttributeDeclaration, _ settings: AttributeSettings) {
        entity.attributes.append(attribute)
        if settings.options.contains(.unique) { unique([attribute.name]) }
        if settings.options.contains(.indexed) { index([attribute.name]) }
        guard let group = settings.group else { return }
        if let place = entity.attributeGroups.firstIndex(where: { $0.name == group }) {
            entity.attributeGroups[place].attributes.append(attribute.name)
        } else {
            entity.attributeGroups.append(AttributeGroup(group, attribute.name))
        }
    }
}

// MARK: - Composite attributes

extension ClassDeclaration {
    /// Declares an optional composite attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - settings: What the mark `@Attribute` says.
    public mutating func composite<T: CompositeValue>(
        _ name: String, _ type: T?.Type, _ settings: AttributeSettings = AttributeSettings()
    ) { add(name, T.self, settings, isOptional: true) }

    /// Declares a mandatory composite attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - settings: What the mark `@Attribute` says.
    public mutating func composite<T: CompositeValue>(
        _ name: String, _ type: T.Type, _ settings: AttributeSettings = AttributeSettings()
    ) { add(name, T.self, settings, isOptional: false) }

    private mutating func add(
        _ name: String, _ type: any CompositeValue.Type, _ settings: AttributeSettings,
        isOptional: Bool
    ) {
        let declaration = type.compositeDeclaration
        entity.compositeAttributes.append(
            declaration.composite(named: name, settings, isOptional: isOptional))
        if let objection = settings.objectionToComposite {
            refuse(.invalidProperty, name, "Can't use \(path(name)) because \(objection).")
        }
        for problem in declaration.problems {
            refuse(problem.code, "\(name).\(problem.element)", problem.message)
        }
    }
}

// MARK: - Relationships, constraints and indexes

extension ClassDeclaration {
    /// Declares a relationship to at most one object.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - destination: The class at the other end.
    ///   - settings: What the mark `@Relationship` says.
    public mutating func toOne(
        _ name: String, _ destination: Any.Type,
        _ settings: RelationshipSettings = RelationshipSettings()
    ) {
        var relationship = settings.relationship(RelationshipDeclaration(name, to: ""))
        relationship.maxCount = settings.maximumModelCount ?? 1
        add(relationship, destination, settings)
    }

    /// Declares a relationship to any number of objects without an order.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - destination: The class at the other end.
    ///   - settings: What the mark `@Relationship` says.
    public mutating func toMany(
        _ name: String, _ destination: Any.Type,
        _ settings: RelationshipSettings = RelationshipSettings()
    ) {
        add(settings.relationship(RelationshipDeclaration(name, toMany: "")), destination, settings)
    }

    /// Declares a relationship to any number of objects in an order.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - destination: The class at the other end.
    ///   - settings: What the mark `@Relationship` says.
    public mutating func toList(
        _ name: String, _ destination: Any.Type,
        _ settings: RelationshipSettings = RelationshipSettings()
    ) {
        let relationship = settings.relationship(
            RelationshipDeclaration(name, toMany: "", ordered: true))
        add(relationship, destination, settings)
    }

    private mutating func add(
        _ relationship: RelationshipDeclaration, _ destination: Any.Type,
        _ settings: RelationshipSettings
    ) {
        relationships.append(
            ClassRelationship(
                relationship: relationship, destination: destination, inverse: settings.inverse))
    }

    /// Declares a fetched property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - destination: The class of the objects.
    ///   - predicateFormat: The predicate; `nil` fetches all objects.
    ///   - fetchLimit: The greatest number of objects.
    ///   - userInfo: Any texts for the app, for tools and for the predicate.
    public mutating func fetched(
        _ name: String, _ destination: Any.Type, _ predicateFormat: String? = nil,
        fetchLimit: Int? = nil, userInfo: [String: String] = [:]
    ) {
        let property = FetchedProperty(
            name, of: "", predicateFormat: predicateFormat, fetchLimit: fetchLimit,
            userInfo: userInfo)
        fetchedProperties.append((property, destination))
    }

    /// Declares that two objects differ in one of the attributes.
    public mutating func unique(_ attributes: [String]) {
        entity.uniquenessConstraints.append(UniquenessConstraint(attributes: attributes))
    }

    /// Declares an index over properties in ascending order; the first is the leading one.
    ///
    /// Its name is the names of the properties, joined by `_`. A second index over the same
    /// properties is the same one.
    public mutating func index(_ properties: [String]) {
        let elements = properties.map { IndexDeclaration.Element($0) }
        if entity.indexes.contains(where: { $0.elements == elements }) { return }
        let taken = Set(entity.indexes.map(\.name))
        var name = properties.joined(separator: "_")
        while taken.contains(name) { name += "_" }
        entity.indexes.append(IndexDeclaration(name, elements: elements))
    }
}
