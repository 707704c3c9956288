import AnabranchModel

/// The properties of one object by which an index would lead to it, as far as a condition allows
/// only some of their values.
struct IndexedProperties {
    private(set) var equal: [PropertyDescription] = []
    private(set) var ranged: [PropertyDescription] = []

    mutating func add(_ property: PropertyDescription, isEqual: Bool) {
        if isEqual {
            if !equal.contains(property) { equal.append(property) }
        } else if !ranged.contains(property) {
            ranged.append(property)
        }
    }

    /// The properties of the best index: those that equal a value, then one that is compared by
    /// order, or by which the rows are sorted.
    func leading(sortedBy sort: PropertyDescription?) -> [PropertyDescription] {
        let last = ranged.first { !equal.contains($0) } ?? sort
        guard let last, !equal.contains(last) else { return equal }
        return equal + [last]
    }
}

/// A property of the fetched object, or of an object at the end of to-one relationships from it.
struct ReachedProperty {
    let way: [RelationshipDescription]
    let property: PropertyDescription

    /// - Returns: `nil` for an operand that no column stores.
    init?(_ operand: ResolvedOperand) {
        switch operand {
        case .attribute(let path, let attribute) where path.scope == 0 && !attribute.isDerived:
            way = path.steps
            property = .attribute(attribute)
        case .record(let path) where path.scope == 0:
            guard let last = path.steps.last, last.storage == .reference else { return nil }
            way = path.steps.dropLast()
            property = .relationship(last)
        default: return nil
        }
    }
}

/// A comparison of a property with given values.
struct IndexableComparison {
    let reached: ReachedProperty
    let isEqual: Bool

    /// - Returns: `nil` for a condition by which no index leads to the rows.
    init?(_ predicate: ResolvedPredicate) {
        switch predicate {
        case .comparison(let left, let relation, let right, let options) where options.isEmpty:
            isEqual = relation == .equal
            if right.isGiven, let reached = ReachedProperty(left) {
                self.reached = reached
            } else if left.isGiven, let reached = ReachedProperty(right) {
                self.reached = reached
            } else {
                return nil
            }
        case .membership(let operand, _, let options) where options.isEmpty:
            guard let reached = ReachedProperty(operand) else { return nil }
            self.reached = reached
            isEqual = true
        case .text(let operand, .beginsWith, let prefix, let options) where options.isEmpty:
            guard prefix.isGiven, let reached = ReachedProperty(operand) else { return nil }
            self.reached = reached
            isEqual = false
        default: return nil
        }
    }
}

extension ResolvedOperand {
    /// True for a constant, or a given object.
    fileprivate var isGiven: Bool {
        switch self {
        case .constant, .object: true
        default: false
        }
    }
}
