import AnabranchModel

/// The rows of a request, which are fetched again when the store has changed.
final class LiveRows<Object: ManagedObject>: LiveSource {
    private let shared: SharedRows<Object>

    init(
        _ request: RowRequest<Object>, in context: ManagedObjectContext, _ signal: ChangeSignal
    ) throws {
        shared = try .shared(request, in: context)
        shared.add(signal)
    }

    func value() throws -> [FetchedRow] { try shared.rows() }
}

/// The rows of a request that sequences of rows observe.
///
/// All sequences of equal requests of a context share one. It lives as long as one of them.
private final class SharedRows<Object: ManagedObject>: ContextObserver {
    private struct Reference {
        weak var signal: ChangeSignal?
    }

    private let request: RowRequest<Object>
    private let plan: RowPlan
    private let context: ManagedObjectContext
    private let entities: Set<EntityDescription>
    /// True if equal requests have equal rows: no predicate has a request in it, which may find
    /// other objects each time, and unsaved changes are no error.
    private let isShared: Bool
    private var signals: [Reference] = []
    /// The rows since the last change; `nil` before the first fetch.
    private var present: [FetchedRow]?
    /// True if the next save concerns the rows.
    private var hasUnsavedChange = false

    /// Returns the rows of a request that are already observed, or new ones.
    static func shared(
        _ request: RowRequest<Object>, in context: ManagedObjectContext
    ) throws -> SharedRows {
        let plan = try RowPlan(request, in: context)
        var fetched = try context.entitiesOfFetches(in: request.predicate)
        fetched.formUnion(try context.entitiesOfFetches(in: request.havingPredicate))
        let known = context.followers.all.lazy.compactMap { $0 as? SharedRows }
        let isShared = fetched.isEmpty && !request.includesPendingChanges
        let equal = known.first { $0.isShared && $0.plan == plan }
        if isShared, let equal { return equal }
        let rows = SharedRows(request, plan, context, fetched, isShared: isShared)
        context.followers.add(rows)
        return rows
    }

    private init(
        _ request: RowRequest<Object>, _ plan: RowPlan, _ context: ManagedObjectContext,
        _ fetched: Set<EntityDescription>, isShared: Bool
    ) {
        self.request = request
        self.plan = plan
        self.context = context
        entities = plan.entities.union(fetched)
        self.isShared = isShared
    }

    func add(_ signal: ChangeSignal) {
        signals.removeAll { $0.signal == nil }
        signals.append(Reference(signal: signal))
    }

    func rows() throws -> [FetchedRow] {
        context.checkQueue()
        if isShared, let present { return present }
        let rows = try context.fetch(request)
        present = rows
        return rows
    }

    func contextDidChange(_ event: EventChanges) {
        guard event.concerns(entities) else { return }
        hasUnsavedChange = true
        if !event.merged.isEmpty || event.extent == .unknown { end() }
    }

    func contextDidSave() {
        if hasUnsavedChange { end() }
        hasUnsavedChange = false
    }

    func contextWasReset() { end() }

    private func end() {
        present = nil
        for reference in signals { reference.signal?.raise() }
    }
}
