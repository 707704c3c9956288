import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The result of a request that sequences of values observe.
///
/// All sequences of equal requests of a context share one. It lives as long as one of them.
final class LiveQuery {
    /// An observer of the result, on the context's queue.
    protocol Listener: AnyObject {
        /// Called after an event has changed the result.
        func resultDidChange(_ update: ResultsUpdate)
        /// Called when the result has to be fetched again.
        func resultDidEnd()
    }

    private struct Reference {
        weak var listener: (any Listener)?
    }

    let context: ManagedObjectContext
    private(set) var source: BatchLoader
    private var plan: ResultsPlan
    private var tracker: ResultsTracker
    private var listeners: [Reference] = []
    /// The entities with objects that decide about the requests in the predicate.
    private let fetchedEntities: Set<EntityDescription>
    /// Makes the plan again, with the present results of the requests in the predicate.
    private let makePlan: () throws -> ResultsPlan

    /// Returns the query of a plan that is already observed, or a new one.
    ///
    /// - Parameters:
    ///   - predicate: The predicate of the plan, with the requests that are in it.
    ///   - makePlan: Makes the plan; called again when a request in the predicate may find other
    ///     objects.
    static func shared(
        _ predicate: FetchPredicate?, in context: ManagedObjectContext,
        _ makePlan: @escaping () throws -> ResultsPlan
    ) throws -> LiveQuery {
        let plan = try makePlan()
        let fetched = try context.entitiesOfFetches(in: predicate)
        let known = context.followers.all.lazy.compactMap { $0 as? LiveQuery }
        let equal = known.first { $0.fetchedEntities.isEmpty && $0.plan.isEqual(to: plan) }
        if fetched.isEmpty, let equal { return equal }
        let query = LiveQuery(plan, context, fetched, makePlan)
        context.followers.add(query)
        return query
    }

    private init(
        _ plan: ResultsPlan, _ context: ManagedObjectContext,
        _ fetchedEntities: Set<EntityDescription>, _ makePlan: @escaping () throws -> ResultsPlan
    ) {
        self.plan = plan
        self.context = context
        self.fetchedEntities = fetchedEntities
        self.makePlan = makePlan
        source = BatchLoader(context: context, plan: plan)
        tracker = ResultsTracker(context: context, plan: plan)
        follow()
    }

    private func follow() {
        tracker.isHeard = { true }
        tracker.report = { [weak self] update in
            for reference in self?.listeners ?? [] { reference.listener?.resultDidChange(update) }
        }
    }

    /// Begins again if the requests in the predicate now find other objects.
    ///
    /// - Returns: True if it has begun again. The context's next save throws an error of the store.
    private func takeResultsOfFetches() -> Bool {
        do {
            let plan = try makePlan()
            guard !self.plan.isEqual(to: plan) else { return false }
            self.plan = plan
        } catch {
            context.keep(error)
            return false
        }
        source = BatchLoader(context: context, plan: plan)
        tracker = ResultsTracker(context: context, plan: plan)
        follow()
        for reference in listeners { reference.listener?.resultDidEnd() }
        return true
    }

    func add(_ listener: any Listener) {
        listeners.removeAll { $0.listener == nil }
        listeners.append(Reference(listener: listener))
    }

    /// The result now. It is fetched at the first call, and after the context was reset.
    ///
    /// - Throws: The errors of a fetch.
    func state() throws -> ResultsState {
        guard !tracker.isFollowing else { return tracker.state }
        // Pending changes are part of the result from the start and must not be reported later.
        context.processPendingChanges()
        let whole = try ResultsReader(context: context, plan: plan).whole()
        if plan.makesObjects { try source.prepare(whole.entries.compactMap(\.object)) }
        try tracker.start(whole, plan)
        return tracker.state
    }
}

extension LiveQuery: ContextObserver {
    func contextDidChange(_ event: EventChanges) {
        if event.concerns(fetchedEntities), takeResultsOfFetches() { return }
        tracker.contextDidChange(event)
    }

    func contextDidSave() { tracker.contextDidSave() }

    func contextWasReset() {
        tracker.contextWasReset()
        source.forget()
        for reference in listeners { reference.listener?.resultDidEnd() }
    }
}

extension ResultsPlan {
    /// True if both plans have the same result, with objects that are prepared alike.
    fileprivate func isEqual(to other: ResultsPlan) -> Bool {
        fetch == other.fetch && batchSize == other.batchSize && prefetched == other.prefetched
            && firesFaults == other.firesFaults
    }
}
