import AnabranchModel
package import AnabranchReplication

/// A fetch without the values that it binds: fetches of one shape have the same SQL.
///
/// Entities and properties count by their addresses. So a shape has a meaning only among shapes of
/// one model, while that model exists.
package struct FetchShape: Hashable, Sendable {
    fileprivate(set) var words: [UInt] = []
    /// The SQL of the selected columns.
    fileprivate let columns: [String]

    package func hash(into hasher: inout Hasher) {
        words.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// The shape of a fetch, and the values that it binds, found without writing SQL.
///
/// Comparisons of stored attributes, objects, counts and constants have a shape, with AND, OR and
/// NOT, and inside conditions on the objects of a relationship. Everything else has none, because
/// its SQL depends on values: that of IN on the number of elements, for instance.
package struct ShapedFetch {
    package private(set) var shape: FetchShape
    /// The values in the order in which ``FetchStatement`` binds them.
    package private(set) var bindings: [PropertyValue] = []
    private let store: (any Hashable & Sendable)?

    /// The SQL of longer shapes would take too much memory.
    private static let greatestWordCount = 128

    /// - Parameter store: As for ``FetchStatement``.
    /// - Returns: `nil` for a fetch without a shape.
    package init?(
        _ query: FetchQuery, selecting selection: FetchStatement.Selection,
        store: (any Hashable & Sendable)?
    ) {
        let kind: UInt
        switch selection {
        case .identifiers: (kind, shape) = (0, FetchShape(columns: []))
        case .count: (kind, shape) = (1, FetchShape(columns: []))
        case .rows(let columns): (kind, shape) = (2, FetchShape(columns: columns))
        case .rowsAndKeys(let columns): (kind, shape) = (3, FetchShape(columns: columns))
        case .values, .countOfValues: return nil
        }
        self.store = store
        shape.words.reserveCapacity(16)
        let isWindow = query.limit != nil || query.offset > 0
        add(kind | (query.includesSubentities ? 4 : 0) | (isWindow ? 8 : 0))
        add(query.entity)
        for sort in query.sorts {
            guard case .attribute = sort.operand, add(sort.operand, sort.options) else {
                return nil
            }
            add((sort.isAscending ? 1 : 0) | UInt(sort.options.rawValue) << 8)
        }
        // The sorts end here: no sort and no predicate begins with this number.
        add(0)
        if let predicate = query.predicate, !add(predicate) { return nil }
        guard shape.words.count <= Self.greatestWordCount else { return nil }
        guard isWindow else { return }
        bindings.append(.integer(Int64(query.limit ?? -1)))
        bindings.append(.integer(Int64(query.offset)))
    }

    private mutating func add(_ word: UInt) { shape.words.append(word) }

    private mutating func add(_ description: AnyObject) {
        add(UInt(bitPattern: ObjectIdentifier(description)))
    }
}

// Each part begins with a number that tells its kind. A function returns false for a part without a
// shape.
extension ShapedFetch {
    private mutating func add(_ predicate: ResolvedPredicate) -> Bool {
        switch predicate {
        case .constant(let isTrue): add(isTrue ? 2 : 1)
        case .conjunction(let parts): return add(parts, 3)
        case .disjunction(let parts): return add(parts, 4)
        case .negation(let inner):
            add(5)
            return add(inner)
        case .comparison(let left, let relation, let right, let options):
            return add(left, relation, right, options)
        case .exists(let collection, let inner):
            add(7)
            return add(collection) && add(inner)
        case .membership, .text, .matches, .search, .entity: return false
        }
        return true
    }

    private mutating func add(_ parts: [ResolvedPredicate], _ kind: UInt) -> Bool {
        guard shape.words.count + parts.count <= Self.greatestWordCount else { return false }
        add(kind | UInt(parts.count) << 8)
        for part in parts where !add(part) { return false }
        return true
    }

    private mutating func add(
        _ left: ResolvedOperand, _ relation: ResolvedRelation, _ right: ResolvedOperand,
        _ options: ComparisonOptions
    ) -> Bool {
        add(6 | relation.number << 8 | UInt(options.rawValue) << 16)
        // SQL asks by IS NULL for a missing value.
        let isNull = left.isNull || right.isNull
        guard !isNull || relation == .equal else { return false }
        return add(left, isNull ? [] : options) && add(right, isNull ? [] : options)
    }

    private mutating func add(_ operand: ResolvedOperand, _ options: ComparisonOptions) -> Bool {
        switch operand {
        case .constant(let value):
            guard let type = value.typeNumber else { return false }
            add(8 | type << 8)
            if !value.isNull { bindings.append(value.folded(options)) }
        case .object(let object):
            add(9)
            bindings.append(.integer(object.localID(in: store)))
        case .record(let path):
            add(10)
            add(path)
        case .attribute(let path, let attribute):
            guard !attribute.isDerived else { return false }
            add(11)
            add(path)
            add(attribute)
        case .count(let collection, let filter):
            add(filter == nil ? 12 : 13)
            return add(collection) && filter.map { add($0) } ?? true
        case .function, .reduction, .listReduction, .aggregate, .conditional, .element,
            .relevance, .snippet:
            return false
        }
        return true
    }

    private mutating func add(_ path: ObjectPath) {
        add(UInt(path.scope) | UInt(path.steps.count) << 16)
        for step in path.steps { add(step) }
    }

    private mutating func add(_ collection: ResolvedCollection) -> Bool {
        guard case .relationship(let relationship) = collection.property else { return false }
        add(UInt(collection.scope))
        add(collection.owner)
        add(relationship)
        return true
    }
}

extension ResolvedOperand {
    fileprivate var isNull: Bool {
        if case .constant(let value) = self { value.isNull } else { false }
    }
}

extension ResolvedRelation {
    fileprivate var number: UInt {
        switch self {
        case .equal: 0
        case .less: 1
        case .lessOrEqual: 2
        case .greater: 3
        case .greaterOrEqual: 4
        }
    }
}

extension PropertyValue {
    /// The number of the type, by which SQL may differ; `nil` for values that no constant has.
    fileprivate var typeNumber: UInt? {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer: 2
        case .double: 3
        case .decimal: 4
        case .string: 5
        case .date: 6
        case .data: 7
        case .uuid: 8
        case .uri: 9
        case .reference, .group, .unknown: nil
        }
    }
}
