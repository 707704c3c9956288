public import AnabranchModel
public import AnabranchReplication

/// Objects in memory, in the form of a store: rows with foreign keys and links, which may point to
/// missing objects.
///
/// Relationships are computed by the simplest means, so that the graph is an oracle for the SQL.
public final class SampleGraph {
    /// One object as a row of its table.
    public struct Row {
        /// The object's ID.
        public var id: Int64
        /// The object's entity.
        public var entity: EntityDescription
        /// The attributes, and the targets of stored to-one relationships as integers.
        public var values: [String: Value]
        /// The values that attributes under `keepBoth` hold beside the shown one.
        public var held: [String: [Value]] = [:]

        /// Creates a row.
        public init(id: Int64, entity: EntityDescription, values: [String: Value]) {
            self.id = id
            self.entity = entity
            self.values = values
        }
    }

    /// A link between two objects.
    public struct Link: Hashable {
        /// The ID at the stored side.
        public var left: Int64
        /// The ID at the inverse side.
        public var right: Int64

        /// Creates a link.
        public init(left: Int64, right: Int64) {
            self.left = left
            self.right = right
        }
    }

    /// An element of an ordered relationship of an object.
    public struct ListElement: Hashable {
        /// The ordered relationship.
        public var relationship: RelationshipDescription
        /// The ID of the object that has the list.
        public var owner: Int64
        /// The ID of the element.
        public var element: Int64

        /// Creates an element.
        public init(relationship: RelationshipDescription, owner: Int64, element: Int64) {
            self.relationship = relationship
            self.owner = owner
            self.element = element
        }
    }

    /// The model of the objects.
    public let model: ManagedObjectModel
    /// The rows by ID.
    public private(set) var rows: [Int64: Row] = [:]
    /// The links by the stored side of their relationship.
    public private(set) var links: [RelationshipDescription: Set<Link>] = [:]

    /// The positions in lists. Elements without a position come first, and elements in one position
    /// are in the order of their IDs.
    public private(set) var positions: [ListElement: Int64] = [:]

    /// Creates an empty graph.
    public init(_ model: ManagedObjectModel) { self.model = model }

    /// Inserts an object.
    public func insert(_ entity: String, id: Int64, _ values: [String: Value]) {
        guard let entity = model.entity(named: entity) else { return }
        rows[id] = Row(id: id, entity: entity, values: values)
    }

    /// Adds values that an attribute of an object holds beside the shown one.
    public func hold(_ values: [Value], of attribute: String, at id: Int64) {
        rows[id]?.held[attribute, default: []] += values
    }

    /// Adds a link of a relationship.
    public func link(_ relationship: RelationshipDescription, left: Int64, right: Int64) {
        links[relationship.storedSide, default: []].insert(Link(left: left, right: right))
    }

    /// Gives an element of a list its position.
    public func position(_ element: ListElement, at position: Int64) {
        positions[element] = position
    }

    /// Returns the object of an ID; `nil` if there is none.
    public func subject(_ id: Int64) -> SampleSubject? {
        rows[id].map { SampleSubject(graph: self, row: $0) }
    }

    /// Returns the objects of an entity.
    public func subjects(of entity: EntityDescription) -> [SampleSubject] {
        rows.values.filter { $0.entity.isKind(of: entity) }.sorted { $0.id < $1.id }
            .map { SampleSubject(graph: self, row: $0) }
    }

    /// The store that distinguishes this graph's objects from objects of another source.
    public static let store = "sample"

    /// Returns the objects of a relationship, in the order of its list if it is ordered.
    public func content(of relationship: RelationshipDescription, at id: Int64) -> [SampleSubject] {
        let ids = ids(of: relationship, at: id).sorted()
        guard relationship.isOrdered else { return ids.compactMap(subject) }
        let placed = ids.map { element in
            let place = ListElement(relationship: relationship, owner: id, element: element)
            return (position: positions[place] ?? .min, id: element)
        }
        return placed.sorted { ($0.position, $0.id) < ($1.position, $1.id) }
            .compactMap { subject($0.id) }
    }

    private func ids(of relationship: RelationshipDescription, at id: Int64) -> Set<Int64> {
        let links = links[relationship.storedSide] ?? []
        switch relationship.storage {
        case .memory: return []
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
    /// The object's graph.
    public let graph: SampleGraph
    /// The object's row.
    public let row: SampleGraph.Row

    /// The object's entity, for predicates.
    public var predicateEntity: EntityDescription { row.entity }
    /// The object's ID, for predicates.
    public var predicateRecord: Int64 { row.id }
    /// The store, which is the same for all sample graphs.
    public var predicateStore: any Hashable & Sendable { SampleGraph.store }
    /// The reference by which predicates compare the object.
    public var predicateReference: PredicateObjectReference? {
        PredicateObjectReference(record: row.id, store: SampleGraph.store)
    }

    /// Returns true if a search for words finds the object.
    public func predicateFinds(_ search: ResolvedSearch) throws -> Bool {
        let texts = search.attributes.map { row.values[$0.name] ?? .null }
        return NaiveSearch(search.query.text).finds(texts)
    }

    /// Returns all values that an attribute holds, for predicates.
    public func predicateValues(of attribute: AttributeDescription) throws -> [Value] {
        [row.values[attribute.name] ?? .null] + (row.held[attribute.name] ?? [])
    }

    /// Returns the value of a property, for predicates.
    public func predicateValue(forKey key: String) throws -> PredicateOperand {
        guard let relationship = row.entity.property(named: key)?.relationship else {
            return .value(row.values[key] ?? .null)
        }
        let content = graph.content(of: relationship, at: row.id)
        return relationship.isToMany ? .subjects(content) : .subject(content.first)
    }
}
