package import AnabranchModel
package import AnabranchReplication

/// Objects in memory, in the form of a store: rows with foreign keys and links, which may point to
/// missing objects.
///
/// Relationships are computed by the simplest means, so that the graph is an oracle for the SQL.
package final class SampleGraph {
    /// One object as a row of its table.
    package struct Row {
        /// The object's ID.
        package var id: Int64
        /// The object's entity.
        package var entity: EntityDescription
        /// The attributes, and the targets of stored to-one relationships as integers.
        package var values: [String: PropertyValue]
        /// The values that attributes under `keepBoth` hold beside the shown one.
        package var held: [String: [PropertyValue]] = [:]

        /// Creates a row.
        package init(id: Int64, entity: EntityDescription, values: [String: PropertyValue]) {
            self.id = id
            self.entity = entity
            self.values = values
        }
    }

    /// A link between two objects.
    package struct Link: Hashable {
        /// The ID at the stored side.
        package var left: Int64
        /// The ID at the inverse side.
        package var right: Int64

        /// Creates a link.
        package init(left: Int64, right: Int64) {
            self.left = left
            self.right = right
        }
    }

    /// An element of an ordered relationship of an object.
    package struct ListElement: Hashable {
        /// The ordered relationship.
        package var relationship: RelationshipDescription
        /// The ID of the object that has the list.
        package var owner: Int64
        /// The ID of the element.
        package var element: Int64

        /// Creates an element.
        package init(relationship: RelationshipDescription, owner: Int64, element: Int64) {
            self.relationship = relationship
            self.owner = owner
            self.element = element
        }
    }

    /// The model of the objects.
    package let model: ManagedObjectModel
    /// The rows by ID.
    package private(set) var rows: [Int64: Row] = [:]
    /// The links by the stored side of their relationship.
    package private(set) var links: [RelationshipDescription: Set<Link>] = [:]

    /// The positions in lists. Elements without a position come first, and elements in one position
    /// are in the order of their IDs.
    package private(set) var positions: [ListElement: Int64] = [:]

    /// Creates an empty graph.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// Inserts an object.
    package func insert(_ entity: String, id: Int64, _ values: [String: PropertyValue]) {
        guard let entity = model.entity(named: entity) else { return }
        rows[id] = Row(id: id, entity: entity, values: values)
    }

    /// Adds values that an attribute of an object holds beside the shown one.
    package func hold(_ values: [PropertyValue], of attribute: String, at id: Int64) {
        rows[id]?.held[attribute, default: []] += values
    }

    /// Adds a link of a relationship.
    package func link(_ relationship: RelationshipDescription, left: Int64, right: Int64) {
        links[relationship.storedSide, default: []].insert(Link(left: left, right: right))
    }

    /// Gives an element of a list its position.
    package func position(_ element: ListElement, at position: Int64) {
        positions[element] = position
    }

    /// Returns the object of an ID; `nil` if there is none.
    package func subject(_ id: Int64) -> SampleSubject? {
        rows[id].map { SampleSubject(graph: self, row: $0) }
    }

    /// Returns the objects of an entity.
    package func subjects(of entity: EntityDescription) -> [SampleSubject] {
        rows.values.filter { $0.entity.isKind(of: entity) }.sorted { $0.id < $1.id }
            .map { SampleSubject(graph: self, row: $0) }
    }

    /// The store that distinguishes this graph's objects from objects of another source.
    package static let store = "sample"

    /// Returns the objects of a relationship, in the order of its list if it is ordered.
    package func content(of relationship: RelationshipDescription, at id: Int64) -> [SampleSubject]
    {
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
package struct SampleSubject: PredicateSubject, PredicateObject {
    /// The object's graph.
    package let graph: SampleGraph
    /// The object's row.
    package let row: SampleGraph.Row

    /// The object's entity, for predicates.
    package var predicateEntity: EntityDescription { row.entity }
    private var reference: PredicateObjectReference {
        PredicateObjectReference(record: row.id, store: SampleGraph.store)
    }
    /// The reference by which predicates compare the object.
    package var predicateReference: PredicateObjectReference? { reference }
    /// The object as a constant.
    package var predicateExpression: FetchExpression {
        FetchExpression(.constant(.object(reference)))
    }

    /// Returns true if a search for words finds the object.
    package func predicateFinds(_ search: ResolvedSearch) throws -> Bool {
        let texts = search.attributes.map { row.values[$0.name] ?? .null }
        return NaiveSearch(search.query.text).finds(texts)
    }

    /// Returns all values that an attribute holds, for predicates.
    package func predicateValues(of attribute: AttributeDescription) throws -> [PropertyValue] {
        [row.values[attribute.name] ?? .null] + (row.held[attribute.name] ?? [])
    }

    /// Returns the value of a property, for predicates.
    package func predicateValue(forKey key: String) throws -> PredicateOperand {
        guard let relationship = row.entity.property(named: key)?.relationship else {
            return .value(row.values[key] ?? .null)
        }
        let content = graph.content(of: relationship, at: row.id)
        return relationship.isToMany ? .subjects(content) : .subject(content.first)
    }
}
