import AnabranchModel
import AnabranchStore

/// Finds the indexes that would have saved the scan of a query.
///
/// The condition suggests some sets of indexes, the best one first. The first set is advised with
/// which SQLite reads fewer whole tables, or no longer sorts all rows for a limit.
struct IndexSearch {
    /// The number of rows from which the scan of a table is worth an index.
    private static let leastScan = 1000

    private let plan: [String]
    private var own = IndexedProperties()
    /// The properties of objects at the end of to-one relationships, in the order of the condition.
    private var related: [(way: [RelationshipDescription], properties: IndexedProperties)] = []
    /// The indexes for the parts of each disjunction of which every part has one.
    private var alternatives: [[[PropertyDescription]]] = []
    private var sort: PropertyDescription?

    init(_ query: FetchQuery, _ plan: [String]) {
        self.plan = plan
        if let predicate = query.predicate { visit(predicate) }
        if query.limit != nil, let first = query.sorts.first, first.options.isEmpty,
            let reached = ReachedProperty(first.operand), reached.way.isEmpty
        {
            sort = reached.property
        }
    }

    private mutating func visit(_ predicate: ResolvedPredicate) {
        switch predicate {
        case .conjunction(let parts): for part in parts { visit(part) }
        case .disjunction(let parts):
            if let indexes = indexes(of: parts) { alternatives.append(indexes) }
        default:
            guard let comparison = IndexableComparison(predicate) else { return }
            let (way, property) = (comparison.reached.way, comparison.reached.property)
            guard !way.isEmpty else { return own.add(property, isEqual: comparison.isEqual) }
            if !related.contains(where: { $0.way == way }) {
                related.append((way, IndexedProperties()))
            }
            for index in related.indices where related[index].way == way {
                related[index].properties.add(property, isEqual: comparison.isEqual)
            }
        }
    }

    /// The index of each part of a disjunction; `nil` if a part has none. SQLite reads only indexes
    /// of one table for a disjunction.
    private func indexes(of parts: [ResolvedPredicate]) -> [[PropertyDescription]]? {
        var indexes: [[PropertyDescription]] = []
        for part in parts {
            var search = IndexSearch()
            search.visit(part)
            let properties = search.own.leading(sortedBy: nil)
            guard !properties.isEmpty else { return nil }
            if !indexes.contains(properties) { indexes.append(properties) }
        }
        return indexes
    }

    private init() { plan = [] }

    /// The sets of indexes to try, the best one first.
    private var candidates: [[[PropertyDescription]]] {
        let near = [[own.leading(sortedBy: sort)]]
        let far = related.map { way, properties in
            [properties.leading(sortedBy: nil)] + way.map { [.relationship($0)] }
        }
        let isFarBetter = own.equal.isEmpty && related.contains { !$0.properties.equal.isEmpty }
        return (isFarBetter ? far + near : near + far) + alternatives
    }

    /// Returns the indexes that save a scan together; none if the query scans no large table.
    ///
    /// - Parameter makeTrial: Returns a database in which SQLite plans the query with more indexes.
    func advice(
        for explained: ExplainedQuery, _ makeTrial: () throws -> IndexTrial
    ) throws -> [IndexAdvice] {
        guard explained.scannedRowCount >= Self.leastScan, wholeTableCount(plan) > 0 else {
            return []
        }
        var trial: IndexTrial?
        for candidate in candidates {
            let missing = candidate.filter { !$0.isEmpty && !Self.isIndexed($0) }
            let advice = missing.compactMap(IndexAdvice.init)
            guard !advice.isEmpty, advice.count == missing.count else { continue }
            let database = try trial ?? makeTrial()
            trial = database
            guard let better = try database.plan(adding: missing) else { continue }
            if saves(better, indexCount: missing.count) { return advice }
        }
        return []
    }

    /// Returns true if a plan uses all indexes that were tried, and needs less than the query's.
    private func saves(_ better: [String], indexCount: Int) -> Bool {
        let usesAll = (0..<indexCount).allSatisfy { number in
            better.contains { line in
                line.split(separator: " ").contains { $0 == "\(IndexTrial.name)\(number)" }
            }
        }
        guard usesAll else { return false }
        return wholeTableCount(better) < wholeTableCount(plan)
            || sort != nil && Self.sortsAll(plan) && !Self.sortsAll(better)
    }

    /// The number of tables of records that are read from the first row to the last.
    private func wholeTableCount(_ plan: [String]) -> Int {
        plan.count { $0.drop { $0 == " " }.hasPrefix("SCAN t") }
    }

    private static func sortsAll(_ plan: [String]) -> Bool {
        plan.contains("USE TEMP B-TREE FOR ORDER BY")
    }

    /// True if there is an index that begins with these properties: one of the entity or of a
    /// super-entity, one for a unique key, or the one of a relationship with an inverse.
    private static func isIndexed(_ properties: [PropertyDescription]) -> Bool {
        if properties.count == 1, let relationship = properties[0].relationship {
            if relationship.storage != .reference || relationship.inverse != nil { return true }
        }
        guard let entity = lowestEntity(of: properties) else { return false }
        return sequence(first: entity, next: \.superentity).contains { entity in
            let indexes = entity.indexes.map { $0.elements.map(\.property) }
            let keys = entity.ownUniquenessConstraints.map { $0.map(PropertyDescription.attribute) }
            return (indexes + keys).contains {
                Set($0.prefix(properties.count)) == Set(properties)
            }
        }
    }

    /// The entity that has all of some properties of its own or by inheritance.
    fileprivate static func lowestEntity(of properties: [PropertyDescription]) -> EntityDescription?
    {
        properties.map(\.entity).max { $0 != $1 && $1.isKind(of: $0) }
    }
}

extension IndexAdvice {
    fileprivate init?(_ properties: [PropertyDescription]) {
        guard let entity = IndexSearch.lowestEntity(of: properties) else { return nil }
        self.init(entity: entity.name, properties: properties.map(\.name))
    }
}
