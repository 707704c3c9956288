public import AnabranchModel
import AnabranchReplication

extension FetchRequest: PredicateArgument {
    /// The request as the first argument of FETCH.
    ///
    /// ```swift
    /// let tall = FetchRequest<Person>(entityName: "Person")
    /// let predicate = try FetchPredicate("boss IN FETCH(%@, nil, NO)", tall)
    /// ```
    ///
    /// The context that fetches runs the request first, with its pending changes, and compares with
    /// the objects, or with their number if the third argument is `YES`. The context of the objects
    /// does so for objects at hand. Live queries run it again after every change that concerns it; a
    /// ``FetchedResultsController`` runs it once, when it begins.
    ///
    /// - Throws: `FetchPredicateError` for a variable without a value.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) {
            let fetch = PredicateFetch(
                entityName: entityName, predicate: try predicate?.substituting(variables),
                sorts: sorts, includesSubentities: includesSubentities, limit: fetchLimit,
                offset: fetchOffset)
            return PredicateConstant.fetch(fetch).predicateExpression
        }
    }
}

extension ManagedObjectContext {
    /// Returns a predicate in which every FETCH is replaced by its result.
    func withResultsOfFetches(in predicate: FetchPredicate?) throws -> FetchPredicate? {
        try predicate?.replacingFetches { fetch, isCount in
            var request = FetchRequest<ManagedObject>(entityName: fetch.entityName)
            request.predicate = fetch.predicate
            request.sorts = fetch.sorts
            request.includesSubentities = fetch.includesSubentities
            request.fetchLimit = fetch.limit
            request.fetchOffset = fetch.offset
            if isCount { return .value(.integer(Int64(try count(for: request)))) }
            return .collection(
                try objectIDs(for: request).map {
                    .object(
                        PredicateObjectReference(
                            record: $0.predicateRecord, store: $0.predicateStore))
                })
        }
    }
}
