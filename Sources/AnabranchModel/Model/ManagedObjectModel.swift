package import AnabranchReplication

/// A checked, immutable model: the schema of a store and its object graph.
///
/// A model in Swift:
///
///  ```swift
///  let model = try ManagedObjectModel {
///      EntityDeclaration("Person") {
///          AttributeDeclaration("name", .string)
///          AttributeDeclaration("age", .integer64, optional: false, default: 0)
///          RelationshipDeclaration("boss", to: "Person", inverse: "reports")
///          RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
///      }
///  }
///  ```
public final class ManagedObjectModel: Sendable {
    /// The entities, sorted by the bytes of their names.
    public let entities: [EntityDescription]
    /// The declaration in canonical order, with defaults filled in.
    package let declaration: ModelDeclaration
    /// Parts of the model that are ignored or unusual, without harm to data.
    public let warnings: [ModelWarning]

    /// The self-describing, versioned bytes of the model, equal for equal models.
    ///
    /// A store keeps them, so any tool can open the store without the app.
    package let canonicalEncoding: [UInt8]
    /// The BLAKE2b hash of ``canonicalEncoding``, 32 bytes.
    package let hash: [UInt8]

    private let positions: [WireName: Int]
    private let positionsByWireName: [WireName: Int]

    /// Checks a declaration and creates its model.
    ///
    /// - Throws: ``ModelError`` with every problem of the declaration in `all`.
    public convenience init(_ declaration: ModelDeclaration) throws(ModelError) {
        try self.init(declaration, warnings: [])
    }

    /// Checks a declaration and creates its model.
    ///
    /// - Parameters:
    ///   - warnings: Warnings from reading the declaration.
    ///   - problems: Problems from reading the declaration, which make the model unusable.
    ///   - placing: Adds the place in the model file to a warning.
    init(
        _ declaration: ModelDeclaration, warnings: [ModelWarning], problems: [ModelError] = [],
        placing: (ModelWarning) -> ModelWarning = { $0 }
    ) throws(ModelError) {
        let normalized = DeclarationNormalizer.normalize(declaration)
        var checker = ModelChecker(normalized)
        checker.check()
        if let error = ModelError(problems + checker.problems) { throw error }
        let graph = ValidatingGraph(normalized)
        if let error = ModelError(graph.validationProblems + graph.problems) { throw error }
        self.declaration = normalized
        self.warnings = (warnings + checker.warnings).map(placing)
        canonicalEncoding = ModelEncoding.encode(normalized)
        hash = Digest(of: canonicalEncoding).bytes
        entities = graph.entities
        positions = Dictionary(
            entities.map { (WireName($0.name), $0.index) }, uniquingKeysWith: { first, _ in first })
        positionsByWireName = Dictionary(
            entities.map { ($0.wireName, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// Checks entities and creates their model.
    ///
    /// - Throws: ``ModelError`` with every problem of the entities in `all`.
    public convenience init(
        entities: [EntityDeclaration], configurations: [ModelConfiguration] = []
    ) throws(ModelError) {
        try self.init(ModelDeclaration(entities: entities, configurations: configurations))
    }

    /// Checks the entities in the braces and creates their model.
    ///
    /// - Parameter configurations: Named subsets of the entities.
    /// - Throws: ``ModelError`` with every problem of the entities in `all`.
    public convenience init(
        configurations: [ModelConfiguration] = [],
        @ModelBuilder _ content: () -> [EntityDeclaration]
    ) throws(ModelError) {
        try self.init(entities: content(), configurations: configurations)
    }
}

extension ManagedObjectModel {
    /// The entity with that name, compared by bytes.
    public func entity(named name: String) -> EntityDescription? {
        positions[WireName(name)].map { entities[$0] }
    }

    /// The entity with that wire name, compared by bytes.
    package func entity(wireName: WireName) -> EntityDescription? {
        positionsByWireName[wireName].map { entities[$0] }
    }

    /// The fetch request template with that name, compared by bytes.
    public func fetchRequestTemplate(named name: String) -> FetchRequestTemplate? {
        declaration.fetchRequestTemplates.first { $0.name.hasSameBytes(as: name) }
    }

    /// The configurations, sorted by the bytes of their names.
    ///
    /// The configuration that contains the whole model has no name and is not listed.
    public var configurations: [ModelConfiguration] { declaration.configurations }

    /// Returns the entities of a configuration, sorted by the bytes of their names.
    ///
    /// - Parameter name: The name of a configuration; `nil` for the whole model.
    /// - Returns: `nil` if there is no configuration of that name.
    public func entities(forConfiguration name: String?) -> [EntityDescription]? {
        guard let name else { return entities }
        return configurations.first { $0.name.hasSameBytes(as: name) }?
            .entities.compactMap(entity(named:))
    }
}
