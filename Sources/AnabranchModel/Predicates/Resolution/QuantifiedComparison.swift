import AnabranchReplication

/// Resolves a comparison with to-many steps into one `exists` for each step.
struct QuantifiedComparison {
    let comparison: PredicateComparison
    let isQuantified: Bool
    /// True for ALL, which is resolved as: not any element that fails the comparison.
    let negatesElement: Bool
    /// The side about which the quantifier is: an attribute at its end stands for all values that
    /// it holds. An attribute on the other side, or in a list, stands for the value that shows.
    var heldSide: Side?

    enum Side { case left, right }

    func resolve(
        _ left: ResolverSide, _ right: ResolverSide, in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        if let joined = try membershipInJoined(left, right, in: resolver) { return joined }
        if let opened = try resolver.elements(of: left, holdsValues: heldSide == .left) {
            return try resolve(opened, isLeft: true, right, in: resolver)
        }
        if let opened = try resolver.elements(of: right, holdsValues: heldSide == .right) {
            return try resolve(opened, isLeft: false, left, in: resolver)
        }
        if isQuantified, let elements = try left.elements(in: resolver) {
            var conditions: [ResolvedPredicate] = []
            for element in elements {
                conditions.append(try resolve(element, right, in: resolver))
            }
            return .disjunction(conditions)
        }
        let leaf = try LeafComparison(comparison: comparison, resolver: resolver)
            .resolve(left, right)
        return negatesElement ? .negation(leaf) : leaf
    }

    private func resolve(
        _ opened: CollectionSide, isLeft: Bool, _ other: ResolverSide,
        in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        try checkQuantifier(opened, isLeft: isLeft)
        var element = self
        if !isQuantified {
            // `x IN rel` and `rel CONTAINS x` need no quantifier: some element equals x.
            var equality = comparison
            equality.operator = .equal
            element = QuantifiedComparison(
                comparison: equality, isQuantified: true, negatesElement: false, heldSide: .left)
        }
        var conditions: [ResolvedPredicate] = []
        for part in opened.parts {
            let inner = resolver.inside(part.selections.count)
            let side = ResolverSide.path(part.element)
            let condition =
                try isLeft || !isQuantified
                ? element.resolve(side, other, in: inner)
                : element.resolve(other, side, in: inner)
            conditions.append(part.exists(condition))
        }
        return conditions.count == 1 ? conditions[0] : .disjunction(conditions)
    }

    /// Resolves `x IN (a UNION b)` and the like, whatever a and b are collections of.
    private func membershipInJoined(
        _ left: ResolverSide, _ right: ResolverSide, in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> ResolvedPredicate? {
        guard !isQuantified else { return nil }
        let isIn = comparison.operator == .isIn
        guard isIn || comparison.operator == .contains,
            case .collection(let collection) = isIn ? right : left,
            case .arithmetic(let sign, let first, let second) = collection.form
        else { return nil }
        var membership = comparison
        membership.operator = .isIn
        let inner = QuantifiedComparison(
            comparison: membership, isQuantified: false, negatesElement: false)
        let element = isIn ? left : right
        let isInFirst = try inner.resolve(element, resolver.side(first), in: resolver)
        let isInSecond = try inner.resolve(element, resolver.side(second), in: resolver)
        return switch sign {
        case .union: .disjunction([isInFirst, isInSecond])
        case .intersection: .conjunction([isInFirst, isInSecond])
        default: .conjunction([isInFirst, .negation(isInSecond)])
        }
    }

    private func checkQuantifier(
        _ opened: CollectionSide, isLeft: Bool
    ) throws(FetchPredicateError) {
        let asksForElement = comparison.operator == (isLeft ? .contains : .isIn)
        guard isQuantified || asksForElement else {
            let relationship = opened.parts[0].property
            let expression = isLeft ? comparison.left : comparison.right
            throw FetchPredicateError(
                .quantifierNeeded, column: expression.column.number,
                entity: relationship.entity.name, key: relationship.name,
                "Can't compare through \(relationship) because it is to-many: put ANY, ALL or "
                    + "NONE before the comparison, or use SUBQUERY.")
        }
    }
}

extension ResolverSide {
    /// True for a list in the format and for a collection given as an argument.
    var isListed: Bool {
        switch self {
        case .list, .constant(.collection): true
        default: false
        }
    }

    /// The elements of a list; `nil` if the side is no list.
    fileprivate func elements(
        in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> [ResolverSide]? {
        switch self {
        case .constant(.collection(let constants)): return constants.map { .constant($0) }
        case .list(let expressions):
            var sides: [ResolverSide] = []
            for expression in expressions { sides.append(try resolver.side(expression)) }
            return sides
        default: return nil
        }
    }
}
