// An attribute under the merge rule `keepBoth` is a collection of the values that it holds, for a
// quantifier and for `@count`. Everywhere else it is the value that shows.
extension PredicateResolver {
    /// The values that the attribute at the end of a path holds; `nil` for any other side.
    func heldValues(_ side: ResolverSide) throws(FetchPredicateError) -> CollectionSide.Part? {
        guard case .path(let cursor) = side, !cursor.isHeldValue,
            case .attribute(let owner, let attribute) = try cursor.end(), attribute.keepsBoth
        else { return nil }
        let scope = depth + 1
        let values = ResolvedCollection(owner: owner, property: .attribute(attribute), scope: scope)
        return CollectionSide.Part(
            selections: [ResolvedSelection(collection: values, filter: nil)],
            element: PathCursor(
                scope: scope, entity: attribute.entity, steps: [.key(attribute.name)],
                column: cursor.column, isHeldValue: true))
    }

    /// The elements that a side stands for; `nil` for a side that is no collection.
    ///
    /// - Parameter holdsValues: True if an attribute stands for all values that it holds.
    func elements(
        of side: ResolverSide, holdsValues: Bool
    ) throws(FetchPredicateError) -> CollectionSide? {
        if let collection = try collection(side) { return collection }
        guard holdsValues else { return nil }
        return try heldValues(side).map { CollectionSide(parts: [$0]) }
    }
}
