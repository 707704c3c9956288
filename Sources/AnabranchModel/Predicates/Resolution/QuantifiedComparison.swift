import AnabranchReplication

/// Resolves a comparison with to-many steps into one `exists` for each step.
struct QuantifiedComparison {
    let comparison: PredicateComparison
    let isQuantified: Bool
    /// True for ALL, which is resolved as: not any element that fails the comparison.
    let negatesElement: Bool

    func resolve(
        _ left: ResolverSide, _ right: ResolverSide, in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        if let opened = try opened(left, in: resolver) {
            try checkQuantifier(opened.collection, isLeft: true)
            if !isQuantified { return try contains(opened, right, in: resolver) }
            let inner = try resolve(opened.element, right, in: resolver.inside())
            return .exists(opened.collection, inner)
        }
        if let opened = try opened(right, in: resolver) {
            try checkQuantifier(opened.collection, isLeft: false)
            if !isQuantified { return try contains(opened, left, in: resolver) }
            let inner = try resolve(left, opened.element, in: resolver.inside())
            return .exists(opened.collection, inner)
        }
        let leaf = try LeafComparison(comparison: comparison, resolver: resolver)
            .resolve(left, right)
        return negatesElement ? .negation(leaf) : leaf
    }

    private func opened(
        _ side: ResolverSide, in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> (collection: ResolvedCollection, element: ResolverSide)? {
        guard case .path(let cursor) = side,
            case .collection(let owner, let relationship, let rest) = try cursor.walk(in: resolver)
        else { return nil }
        let scope = resolver.depth + 1
        let element = PathCursor(
            scope: scope, entity: relationship.destination, steps: rest, column: cursor.column)
        return (
            ResolvedCollection(owner: owner, relationship: relationship, scope: scope),
            .path(element)
        )
    }

    /// Resolves `x IN rel` and `rel CONTAINS x`, which need no quantifier: some element equals x.
    private func contains(
        _ opened: (collection: ResolvedCollection, element: ResolverSide), _ other: ResolverSide,
        in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        var equality = comparison
        equality.operator = .equal
        let inner = QuantifiedComparison(
            comparison: equality, isQuantified: true, negatesElement: false)
        return .exists(
            opened.collection, try inner.resolve(opened.element, other, in: resolver.inside()))
    }

    private func checkQuantifier(
        _ collection: ResolvedCollection, isLeft: Bool
    ) throws(FetchPredicateError) {
        let asksForElement = comparison.operator == (isLeft ? .contains : .isIn)
        guard isQuantified || asksForElement else {
            let relationship = collection.relationship
            let expression = isLeft ? comparison.left : comparison.right
            throw FetchPredicateError(
                .quantifierNeeded, column: expression.column.number,
                entity: relationship.entity.name, key: relationship.name,
                "Can't compare through \(relationship) because it is to-many: put ANY, ALL or "
                    + "NONE before the comparison, or use SUBQUERY.")
        }
    }
}
