public import AnabranchReplication

/// A checked model: the schema that a store and its object graph work by.
///
/// Immutable. Written in Swift:
///
/// ```swift
/// let model = try ManagedObjectModel {
///     Entity("Person") {
///         Attribute("name", .string)
///         Attribute("age", .integer64, optional: false, default: 0)
///         Relationship("boss", to: "Person", inverse: "reports")
///         Relationship("reports", toMany: "Person", inverse: "boss")
///     }
/// }
/// ```
public final class ManagedObjectModel: Sendable {
    /// Sorted by the bytes of their names; each has its place here as `index`.
    public let entities: [EntityDescription]
    /// What the model was made from, in canonical order and with everything filled in.
    public let declaration: ModelDeclaration
    /// What is ignored or unusual in the model, without harm to data.
    public let warnings: [ModelWarning]

    /// One form for one model, whatever order it was declared in; self-describing and versioned.
    /// A store keeps it, so that any tool can open the store without the app.
    public let canonicalEncoding: [UInt8]
    /// 32 bytes, BLAKE2b of ``canonicalEncoding``.
    public let hash: [UInt8]

    private let positions: [WireName: Int]
    private let positionsByWireName: [WireName: Int]

    /// - Throws: ``ModelError`` with every problem of the declaration in `all`.
    public convenience init(_ declaration: ModelDeclaration) throws(ModelError) {
        try self.init(declaration, warnings: [])
    }

    /// - Parameters:
    ///   - warnings: What was noticed where the declaration was read.
    ///   - problems: What makes the model unusable already.
    init(
        _ declaration: ModelDeclaration, warnings: [ModelWarning], problems: [ModelError] = []
    ) throws(ModelError) {
        let normalized = DeclarationNormalizer.normalize(declaration)
        var checker = ModelChecker(normalized)
        checker.check()
        if let error = ModelError(problems + checker.problems) { throw error }
        let graph = ModelGraph(normalized)
        if let error = ModelError(graph.problems) { throw error }
        self.declaration = normalized
        self.warnings = warnings + checker.warnings
        canonicalEncoding = ModelEncoder.encode(normalized)
        hash = Digest(of: canonicalEncoding).bytes
        entities = graph.entities
        positions = Dictionary(
            entities.map { (WireName($0.name), $0.index) }, uniquingKeysWith: { first, _ in first })
        positionsByWireName = Dictionary(
            entities.map { ($0.wireName, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Throws: ``ModelError`` with every problem of the entities in `all`.
    public convenience init(entities: [Entity]) throws(ModelError) {
        try self.init(ModelDeclaration(entities: entities))
    }

    /// - Throws: ``ModelError`` with every problem of the entities in `all`.
    public convenience init(@ModelBuilder _ content: () -> [Entity]) throws(ModelError) {
        try self.init(entities: content())
    }
}

extension ManagedObjectModel {
    /// By the bytes of the name.
    public func entity(named name: String) -> EntityDescription? {
        positions[WireName(name)].map { entities[$0] }
    }

    public func entity(wireName: WireName) -> EntityDescription? {
        positionsByWireName[wireName].map { entities[$0] }
    }

    public func fetchRequestTemplate(named name: String) -> FetchRequestTemplate? {
        declaration.fetchRequestTemplates.first { $0.name.hasSameBytes(as: name) }
    }
}
