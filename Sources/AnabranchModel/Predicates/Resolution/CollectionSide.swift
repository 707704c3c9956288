import AnabranchReplication

/// The elements that one side of a comparison stands for.
struct CollectionSide {
    /// Some of the elements; no element is in two parts.
    struct Part {
        /// The collections, each of the elements of the one before it; never empty.
        var selections: [ResolvedSelection]
        /// The path from an element of the last collection to the value that is asked for. Without
        /// steps, it is the element itself.
        var element: PathCursor

        var property: PropertyDescription { selections[0].collection.property }
    }

    var parts: [Part]
}

extension PredicateResolver {
    /// The elements that a side stands for; `nil` for a side that is no collection of objects.
    func collection(_ side: ResolverSide) throws(FetchPredicateError) -> CollectionSide? {
        switch side {
        case .path(let cursor): return try part(cursor).map { CollectionSide(parts: [$0]) }
        case .collection(let expression): return try collection(expression)
        case .constant, .list, .computed: return nil
        }
    }

    /// The elements at the end of a path; `nil` if no step is to-many.
    func part(_ cursor: PathCursor) throws(FetchPredicateError) -> CollectionSide.Part? {
        guard case .collection(let owner, let relationship, let rest) = try cursor.end()
        else { return nil }
        let scope = depth + 1
        let selection = ResolvedSelection(
            collection: ResolvedCollection(
                owner: owner, property: .relationship(relationship), scope: scope),
            filter: nil)
        let element = PathCursor(
            scope: scope, entity: relationship.destination, steps: rest, column: cursor.column)
        guard !rest.isEmpty, let further = try inside().part(element) else {
            return CollectionSide.Part(selections: [selection], element: element)
        }
        return CollectionSide.Part(
            selections: [selection] + further.selections, element: further.element)
    }

    /// The elements of an expression; `nil` if it is no collection of objects.
    func collection(_ expression: FetchExpression) throws(FetchPredicateError) -> CollectionSide? {
        switch expression.form {
        case .subquery(let collection, let variable, let filter):
            return try subquery(collection, variable, filter)
        case .arithmetic(let sign, let left, let right) where sign.joinsCollections:
            return try joined(left, sign, right)
        case .path(let root?, let steps):
            guard var side = try collection(root) else { break }
            for index in side.parts.indices {
                side.parts[index] = try side.parts[index].followed(by: steps, in: self)
            }
            return side
        default: break
        }
        guard case .path(let cursor) = try side(expression) else { return nil }
        return try part(cursor).map { CollectionSide(parts: [$0]) }
    }

    private func subquery(
        _ collection: FetchExpression, _ variable: String, _ filter: FetchPredicate
    ) throws(FetchPredicateError) -> CollectionSide {
        guard var side = try self.collection(collection),
            side.parts.allSatisfy({ $0.element.steps.isEmpty })
        else {
            throw error(
                .notACollection, collection,
                "Can't filter '\(collection)' with SUBQUERY because it is no to-many relationship.")
        }
        for index in side.parts.indices {
            let part = side.parts[index]
            let inner = inside(part.selections.count, binding: variable, to: part.element)
            side.parts[index] = part.filtered(by: try inner.resolve(filter))
        }
        return side
    }

    /// UNION, INTERSECT and MINUS of collections of objects.
    ///
    /// - Returns: `nil` if the left side is no collection of objects.
    private func joined(
        _ left: FetchExpression, _ sign: ArithmeticOperator, _ right: FetchExpression
    ) throws(FetchPredicateError) -> CollectionSide? {
        guard let own = try collection(left) else { return nil }
        guard sign == .union else {
            return try own.parts(of: left, in: right, isIn: sign == .intersection, self)
        }
        guard let other = try collection(right) else { return nil }
        let rest = try other.parts(of: right, in: left, isIn: false, self)
        return CollectionSide(parts: own.parts + rest.parts)
    }
}

extension CollectionSide {
    /// The elements that are in another collection, or those that are not.
    fileprivate func parts(
        of own: FetchExpression, in other: FetchExpression, isIn: Bool,
        _ resolver: PredicateResolver
    ) throws(FetchPredicateError) -> CollectionSide {
        let membership = QuantifiedComparison(
            comparison: PredicateComparison(own, .isIn, other, column: other.column),
            isQuantified: false, negatesElement: false)
        var result = self
        for index in parts.indices {
            let part = parts[index]
            let inner = resolver.inside(part.selections.count)
            let test = try membership.resolve(.path(part.element), inner.side(other), in: inner)
            result.parts[index] = part.filtered(by: isIn ? test : .negation(test))
        }
        return result
    }
}

extension CollectionSide.Part {
    /// The elements that satisfy a predicate too, which is in the scope of the last collection.
    fileprivate func filtered(by predicate: ResolvedPredicate) -> CollectionSide.Part {
        var part = self
        let last = part.selections.removeLast()
        let filter =
            last.filter.map { ResolvedPredicate.conjunction([$0, predicate]) } ?? predicate
        part.selections.append(ResolvedSelection(collection: last.collection, filter: filter))
        return part
    }

    /// The values at the end of a path from each element.
    func followed(
        by steps: [PathStep], in resolver: PredicateResolver
    ) throws(FetchPredicateError) -> CollectionSide.Part {
        let element = PathCursor(
            scope: element.scope, entity: element.entity, steps: element.steps + steps,
            column: element.column)
        guard let further = try resolver.inside(selections.count).part(element) else {
            return CollectionSide.Part(selections: selections, element: element)
        }
        return CollectionSide.Part(
            selections: selections + further.selections, element: further.element)
    }

    /// The condition that some of the elements satisfies a predicate.
    func exists(_ predicate: ResolvedPredicate) -> ResolvedPredicate {
        selections.reversed().reduce(predicate) { inner, selection in
            let condition = selection.filter.map { ResolvedPredicate.conjunction([$0, inner]) }
            return .exists(selection.collection, condition ?? inner)
        }
    }
}

extension ArithmeticOperator {
    /// True for the operators of collections.
    var joinsCollections: Bool { precedence == ArithmeticOperator.union.precedence }
}
