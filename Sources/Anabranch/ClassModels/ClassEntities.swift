import AnabranchModel

/// Combines the declarations of classes into the entities of one model.
///
/// Classes stand for super-entities and for the other ends of relationships, and one of two inverse
/// relationships may name the other one. Here they become names.
struct ClassEntities {
    /// The declarations of the classes, in the order in which they were passed.
    let declarations: [ClassDeclaration]
    /// The positions of the declarations by class.
    let positions: [ObjectIdentifier: Int]
    private(set) var problems: [ModelError]

    /// Returns the entities of classes.
    ///
    /// - Throws: ``ModelError`` with every problem of the classes in `all`.
    static func entities(of classes: [ManagedObject.Type]) throws(ModelError) -> [EntityDeclaration]
    {
        var classes = ClassEntities(classes)
        let entities = classes.combined()
        if let error = ModelError(classes.problems) { throw error }
        return entities
    }

    private init(_ classes: [ManagedObject.Type]) {
        var declarations: [ClassDeclaration] = []
        var positions: [ObjectIdentifier: Int] = [:]
        var problems: [ModelError] = []
        for type in classes where positions[ObjectIdentifier(type)] == nil {
            // A class without a declaration of its own inherits that of its superclass.
            guard let declaration = type.entityDeclaration, declaration.type == type else {
                problems.append(
                    ModelError(
                        .invalidClass, entity: type.entityName.isEmpty ? nil : type.entityName,
                        "Can't make an entity of \(type) because it does not declare one; write "
                            + "@Entity before the class."))
                continue
            }
            positions[ObjectIdentifier(type)] = declarations.count
            declarations.append(declaration)
            problems += declaration.problems
        }
        self.declarations = declarations
        self.positions = positions
        self.problems = problems
    }

    private mutating func combined() -> [EntityDeclaration] {
        var entities = declarations.map(\.entity)
        for (position, declaration) in declarations.enumerated() {
            entities[position].parent = superentity(of: declaration)?.entity.name
            entities[position].fetchedProperties = fetchedProperties(of: declaration)
        }
        var inverses = ClassInverses(self)
        inverses.resolve()
        problems += inverses.problems
        for position in declarations.indices {
            entities[position].relationships = inverses.relationships(of: position)
        }
        return entities
    }

    mutating func refuse(
        _ code: ModelError.Code, _ entity: ClassDeclaration, _ property: String?, _ message: String
    ) {
        problems.append(ModelError(code, entity: entity.entity.name, property: property, message))
    }

    private mutating func fetchedProperties(of declaration: ClassDeclaration) -> [FetchedProperty] {
        declaration.fetchedProperties.compactMap { property, destination in
            guard let position = positions[ObjectIdentifier(destination)] else {
                refuse(
                    .invalidClass, declaration, property.name,
                    "Can't use \(declaration.path(property.name)) because \(destination) is not "
                        + "among the classes; pass \(destination).self too.")
                return nil
            }
            var property = property
            property.entity = declarations[position].entity.name
            return property
        }
    }

    /// The declaration of the nearest class above that declares an entity.
    private mutating func superentity(of declaration: ClassDeclaration) -> ClassDeclaration? {
        guard let above = Self.entityClass(above: declaration.type) else { return nil }
        if let position = positions[ObjectIdentifier(above)] { return declarations[position] }
        refuse(
            .invalidClass, declaration, nil,
            "Can't use \(declaration.type) because \(above), the class of its super-entity, is not "
                + "among the classes; pass \(above).self too.")
        return nil
    }

    /// The nearest class above that stands for an entity.
    private static func entityClass(above type: ManagedObject.Type) -> ManagedObject.Type? {
        var next: AnyClass? = _getSuperclass(type)
        while let current = next as? ManagedObject.Type, current != ManagedObject.self {
            let inherited = (_getSuperclass(current) as? ManagedObject.Type)?.entityName ?? ""
            if current.entityName != inherited { return current }
            next = _getSuperclass(current)
        }
        return nil
    }

    /// The positions of the class and of those above it, the nearest first.
    func lineage(of position: Int) -> [Int] {
        var found = [position]
        var type = declarations[position].type
        while let above = Self.entityClass(above: type) {
            type = above
            if let position = positions[ObjectIdentifier(above)] { found.append(position) }
        }
        return found
    }
}
