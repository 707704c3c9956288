public import AnabranchModel
public import AnabranchReplication

/// Objects in memory, held as a store holds them: rows with foreign keys and links, some of which
/// may lead nowhere. What a relationship shows is worked out by the dumbest means, so that it is
/// an oracle for the SQL.
public final class SampleGraph {
    public struct Row {
        public var id: Int64
        public var entity: EntityDescription
        /// Attributes, and references of stored to-one relationships as integers.
        public var values: [String: Value]

        public init(id: Int64, entity: EntityDescription, values: [String: Value]) {
            self.id = id
            self.entity = entity
            self.values = values
        }
    }

    public struct Link: Hashable {
        public var left: Int64
        public var right: Int64

        public init(left: Int64, right: Int64) {
            self.left = left
            self.right = right
        }
    }

    public let model: ManagedObjectModel
    public private(set) var rows: [Int64: Row] = [:]
    /// By the stored side.
    public private(set) var links: [RelationshipDescription: Set<Link>] = [:]

    public init(_ model: ManagedObjectModel) { self.model = model }

    public func insert(_ entity: String, id: Int64, _ values: [String: Value]) {
        guard let entity = model.entity(named: entity) else { return }
        rows[id] = Row(id: id, entity: entity, values: values)
    }

    public func link(_ relationship: RelationshipDescription, left: Int64, right: Int64) {
        links[relationship.storedSide, default: []].insert(Link(left: left, right: right))
    }

    public func subject(_ id: Int64) -> SampleSubject? {
        rows[id].map { SampleSubject(graph: self, row: $0) }
    }

    public func subjects(of entity: EntityDescription) -> [SampleSubject] {
        rows.values.filter { $0.entity.isKind(of: entity) }.sorted { $0.id < $1.id }
            .map { SampleSubject(graph: self, row: $0) }
    }

    /// Tells this graph's objects from those of others.
    public static let store = "sample"

    func content(of relationship: RelationshipDescription, at id: Int64) -> [SampleSubject] {
        ids(of: relationship, at: id).sorted().compactMap(subject)
    }

    private func ids(of relationship: RelationshipDescription, at id: Int64) -> Set<Int64> {
        let links = links[relationship.storedSide] ?? []
        switch relationship.storage {
        case .reference:
            guard case .integer(let target) = rows[id]?.values[relationship.name] else { return [] }
            return [target]
        case .inverseReference:
            guard let inverse = relationship.inverse else { return [] }
            return Set(
                rows.values.filter { $0.values[inverse.name] == .integer(id) }.map(\.id))
        case .links(let side):
            let forward = links.filter { $0.left == id }.map(\.right)
            let backward = links.filter { $0.right == id }.map(\.left)
            return Set((side == .right ? [] : forward) + (side == .left ? [] : backward))
        }
    }
}

/// One object of a ``SampleGraph``.
public struct SampleSubject: PredicateSubject, PredicateObject {
    public let graph: SampleGraph
    public let row: SampleGraph.Row

    public var predicateEntity: EntityDescription { row.entity }
    public var predicateRecord: Int64 { row.id }
    public var predicateStore: any Hashable & Sendable { SampleGraph.store }
    public var predicateReference: PredicateObjectReference? {
        PredicateObjectReference(record: row.id, store: SampleGraph.store)
    }

    public func predicateValue(forKey key: String) throws -> PredicateOperand {
        guard let relationship = row.entity.property(named: key)?.relationship else {
            return .value(row.values[key] ?? .null)
        }
        let content = graph.content(of: relationship, at: row.id)
        return relationship.isToMany ? .subjects(content) : .subject(content.first)
    }
}
