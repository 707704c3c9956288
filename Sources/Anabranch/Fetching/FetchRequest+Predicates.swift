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
    /// does so for objects at hand. Live queries run it again after every change that concerns it.
    /// A ``FetchedResultsController`` runs it once, when it begins.
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

extension FetchRequest where Object == ManagedObject {
    fileprivate init(_ fetch: PredicateFetch) {
        self.init(entityName: fetch.entityName)
        predicate = fetch.predicate
        sorts = fetch.sorts
        includesSubentities = fetch.includesSubentities
        fetchLimit = fetch.limit
        fetchOffset = fetch.offset
    }
}

extension ManagedObjectContext {
    /// Returns a predicate in which every FETCH is replaced by its result.
    func withResultsOfFetches(in predicate: FetchPredicate?) throws -> FetchPredicate? {
        try predicate?.replacingFetches { fetch, isCount in
            let request = FetchRequest<ManagedObject>(fetch)
            if isCount { return .value(.integer(Int64(try count(for: request)))) }
            return .collection(try objectIDs(for: request).map { .object($0.predicateReference) })
        }
    }

    /// The entities with objects that decide about the results of the FETCHes in a predicate.
    func entitiesOfFetches(in predicate: FetchPredicate?) throws -> Set<EntityDescription> {
        var entities: Set<EntityDescription> = []
        _ = try predicate?.replacingFetches { fetch, _ in
            let plan = try FetchPlan(FetchRequest<ManagedObject>(fetch), in: self)
            entities.insert(plan.entity)
            entities.formUnion(
                RelationshipDependency.all(of: plan.predicate, plan.sorts).map(\.destination))
            entities.formUnion(try entitiesOfFetches(in: fetch.predicate))
            return .value(.null)
        }
        return entities
    }
}

extension EventChanges {
    /// True if objects of some entities were changed here, or by others.
    func concerns(_ entities: Set<EntityDescription>) -> Bool {
        func isConcerned(_ entity: EntityDescription) -> Bool {
            entities.contains { entity.isKind(of: $0) }
        }
        return !entities.isEmpty
            && (extent == .unknown || touched.contains { isConcerned($0.entity) }
                || vanished.contains { isConcerned($0.entity) }
                || merged.contains { isConcerned($0.entity) })
    }
}
