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
    let source: BatchLoader
    private let plan: ResultsPlan
    private let tracker: ResultsTracker
    private var listeners: [Reference] = []

    /// Returns the query of a plan that is already observed, or a new one.
    static func shared(_ plan: ResultsPlan, in context: ManagedObjectContext) -> LiveQuery {
        let known = context.followers.all.lazy.compactMap { $0 as? LiveQuery }
        if let query = known.first(where: { $0.plan.isEqual(to: plan) }) { return query }
        let query = LiveQuery(plan, context)
        context.followers.add(query)
        return query
    }

    private init(_ plan: ResultsPlan, _ context: ManagedObjectContext) {
        self.plan = plan
        self.context = context
        source = BatchLoader(context: context, plan: plan)
        tracker = ResultsTracker(context: context, plan: plan)
        tracker.isHeard = { true }
        tracker.report = { [weak self] update in
            for reference in self?.listeners ?? [] { reference.listener?.resultDidChange(update) }
        }
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
        tracker.start(whole, plan)
        return tracker.state
    }
}

extension LiveQuery: ContextObserver {
    func contextDidChange(_ event: EventChanges) { tracker.contextDidChange(event) }

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
