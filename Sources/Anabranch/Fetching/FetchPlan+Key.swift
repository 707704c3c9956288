import AnabranchModel
import AnabranchReplication

extension FetchPlan {
    /// The attribute of the fetched entity for which the predicate demands one value, and that
    /// value; `nil` if there is none. Among several, one with a unique key comes first.
    var key: (attribute: AttributeDescription, key: PendingKey)? {
        guard let predicate else { return nil }
        var found: (attribute: AttributeDescription, key: PendingKey)?
        for part in predicate.conjuncts {
            guard let (attribute, value) = part.demandedValue, !value.isNull else { continue }
            if attribute.isUnique { return (attribute, PendingKey(value)) }
            // Few values of a boolean stand for many objects.
            if found == nil || found?.attribute.type == .boolean {
                found = (attribute, PendingKey(value))
            }
        }
        return found
    }
}

extension ResolvedPredicate {
    fileprivate var conjuncts: [ResolvedPredicate] {
        if case .conjunction(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }

    /// The value that an attribute of the evaluated object must have, if this is such a condition.
    fileprivate var demandedValue: (AttributeDescription, PropertyValue)? {
        guard case .comparison(let left, .equal, let right, let options) = self, options.isEmpty
        else { return nil }
        switch (left, right) {
        case (.attribute(let path, let attribute), .constant(let value)),
            (.constant(let value), .attribute(let path, let attribute)):
            return path.scope == 0 && path.steps.isEmpty ? (attribute, value) : nil
        default: return nil
        }
    }
}

extension AttributeDescription {
    /// True if a unique key of its entity consists of this attribute.
    fileprivate var isUnique: Bool {
        entity.ownUniquenessConstraints.contains { $0.count == 1 && $0[0] === self }
    }
}
