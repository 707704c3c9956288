import AnabranchModel

/// A path of relationships that a request uses. If an object at its end changes, objects at its
/// beginning can enter or leave the result, or get another place.
struct RelationshipDependency {
    /// The relationships from the fetched entity on; never empty.
    let steps: [RelationshipDescription]
    /// The slots that the request reads at the end of the path; empty if only the existence of the
    /// object matters.
    let slots: SlotSet

    var destination: EntityDescription { steps[steps.count - 1].destination }

    /// Returns a dependency for each path of relationships that a predicate or a sort uses,
    /// including the parts of longer paths.
    static func all(
        of predicate: ResolvedPredicate?, _ sorts: [ResolvedSort]
    ) -> [RelationshipDependency] {
        let search = DependencySearch(predicate, sorts)
        return search.order.map {
            RelationshipDependency(steps: $0, slots: search.slots[$0] ?? SlotSet())
        }
    }

    /// The slots of the fetched entity itself that a predicate and sorts look at.
    static func ownSlots(of predicate: ResolvedPredicate?, _ sorts: [ResolvedSort]) -> SlotSet {
        DependencySearch(predicate, sorts).slots[[]] ?? SlotSet()
    }
}

private struct DependencySearch {
    var order: [[RelationshipDescription]] = []
    var slots: [[RelationshipDescription]: SlotSet] = [:]
    /// The paths to the evaluated object and to the elements of each enclosing collection.
    private var ways: [[RelationshipDescription]] = [[]]

    init(_ predicate: ResolvedPredicate?, _ sorts: [ResolvedSort]) {
        if let predicate { visit(predicate) }
        for sort in sorts { visit(sort.operand) }
    }

    mutating func visit(_ predicate: ResolvedPredicate) {
        switch predicate {
        case .constant: break
        case .conjunction(let parts), .disjunction(let parts): for part in parts { visit(part) }
        case .negation(let inner): visit(inner)
        case .comparison(let left, _, let right, _), .text(let left, _, let right, _):
            visit(left)
            visit(right)
        case .membership(let operand, _, _), .matches(let operand, _): visit(operand)
        case .exists(let collection, let inner): visit(collection, inner)
        case .entity(let path, _): record(way(path), looksAt: nil)
        case .search(let search):
            for attribute in search.attributes {
                record(way(search.object), looksAt: attribute.slot)
            }
        }
    }

    mutating func visit(_ operand: ResolvedOperand) {
        switch operand {
        case .constant, .object, .relevance, .snippet: break
        case .attribute(let path, let attribute): record(way(path), looksAt: attribute.slot)
        case .record(let path): record(way(path), looksAt: nil)
        case .count(let collection, let filter): visit(collection, filter)
        case .function(_, let operands, _), .listReduction(_, let operands, _):
            for operand in operands { visit(operand) }
        case .reduction(_, let elements, _): visit(elements.selections[...], elements.value)
        case .aggregate(_, let operand, _, _): visit(operand)
        case .conditional(let condition, let first, let second, _):
            visit(condition)
            visit(first)
            visit(second)
        case .element(let collection, _, let value):
            enter(collection) { $0.visit(value) }
        }
    }

    private mutating func visit(
        _ selections: ArraySlice<ResolvedSelection>, _ value: ResolvedOperand
    ) {
        guard let selection = selections.first else { return visit(value) }
        enter(selection.collection) { search in
            if let filter = selection.filter { search.visit(filter) }
            search.visit(selections.dropFirst(), value)
        }
    }

    private mutating func visit(_ collection: ResolvedCollection, _ inner: ResolvedPredicate?) {
        enter(collection) { search in if let inner { search.visit(inner) } }
    }

    /// Visits what is asked for of each element of a collection.
    private mutating func enter(
        _ collection: ResolvedCollection, _ visitElement: (inout DependencySearch) -> Void
    ) {
        let owner = way(collection.owner)
        record(owner, looksAt: collection.property.slot)
        // A held value belongs to the object that has the attribute.
        let elements = owner + (collection.property.relationship.map { [$0] } ?? [])
        record(elements, looksAt: nil)
        let outer = ways
        ways = Array(ways.prefix(collection.scope)) + [elements]
        visitElement(&self)
        ways = outer
    }

    private func way(_ path: ObjectPath) -> [RelationshipDescription] {
        (path.scope < ways.count ? ways[path.scope] : []) + path.steps
    }

    private mutating func record(_ way: [RelationshipDescription], looksAt slot: Int?) {
        for length in 0...way.count {
            let part = Array(way.prefix(length))
            if length > 0, slots[part] == nil { order.append(part) }
            let next = length < way.count ? way[length].slot : slot
            slots[part, default: SlotSet()].formUnion(SlotSet(next.map { [$0] } ?? []))
        }
    }
}
