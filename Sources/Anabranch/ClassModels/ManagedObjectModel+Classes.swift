public import AnabranchModel

extension ManagedObjectModel {
    /// Makes a model from classes with `@Entity`, without a second description.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(Folder.self, Note.self)
    /// ```
    ///
    /// The classes are all that the model has: the classes of super-entities and those at the
    /// other ends of relationships have to be among them. The model equals the same model in Swift
    /// or from a file, so stores made by one open with the other.
    ///
    /// - Throws: ``ModelError`` with every problem of the classes in `all`. Each names its entity
    ///   and property, and says what to write in the class.
    public convenience init(
        _ first: ManagedObject.Type, _ others: ManagedObject.Type...
    ) throws(ModelError) {
        try self.init(classes: [first] + others)
    }

    /// Makes a model from classes with `@Entity`, like ``init(_:_:)``, and from what classes do not
    /// declare.
    ///
    /// - Parameters:
    ///   - classes: The classes of all entities, in any order.
    ///   - fetchRequestTemplates: Named fetch requests.
    ///   - configurations: Named subsets of the entities.
    ///   - versionIdentifier: A name of the model's version for people.
    /// - Throws: ``ModelError`` with every problem of the classes in `all`.
    public convenience init(
        classes: [ManagedObject.Type], fetchRequestTemplates: [FetchRequestTemplate] = [],
        configurations: [ModelConfiguration] = [], versionIdentifier: String? = nil
    ) throws(ModelError) {
        try self.init(
            ModelDeclaration(
                entities: try ClassEntities.entities(of: classes),
                fetchRequestTemplates: fetchRequestTemplates, configurations: configurations,
                versionIdentifier: versionIdentifier))
    }
}
