import AnabranchModel
import AnabranchStore

/// The rows of a request, which are fetched again when the store has changed.
final class LiveRows<Object: ManagedObject>: LiveSource {
    private let shared: SharedRows<Object>

    init(
        _ request: RowRequest<Object>, in context: ManagedObjectContext, _ signal: ChangeSignal
    ) throws {
        shared = try .shared(request, in: context)
        shared.add(signal)
    }

    func value(isolation: isolated (any Actor)?) async throws -> [FetchedRow] {
        try await shared.rows()
    }
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
    private let sources: RowSources
    /// True if equal requests have equal rows: no predicate has a request in it, which may find
    /// other objects each time, and unsaved changes are no error.
    private let isShared: Bool
    private var signals: [Reference] = []
    /// The fetch since the last change, which all sequences wait for; `nil` before the first one.
    private var present: Task<[FetchedRow], any Error>?
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
        sources = RowSources(plan, fetched: fetched)
        self.isShared = isShared
    }

    func add(_ signal: ChangeSignal) {
        signals.removeAll { $0.signal == nil }
        signals.append(Reference(signal: signal))
    }

    /// The rows since the last change.
    ///
    /// They are read on another thread. A context that has a parent reads at once.
    func rows(isolation: isolated (any Actor)? = #isolation) async throws -> [FetchedRow] {
        context.checkQueue()
        guard case .store = context.source else { return try context.fetch(request) }
        guard isShared else { return try await context.fetchInBackground(request) }
        if let present { return try await present.value }
        let (read, plan, origin) = (context.backgroundRead(nil), plan, context.coordinator.origin)
        let present = Task.detached { try await read.rows(plan, origin) }
        self.present = present
        do {
            return try await present.value
        } catch {
            // The next sequence tries again.
            if self.present == present { self.present = nil }
            throw error
        }
    }

    func contextDidChange(_ event: EventChanges) {
        guard sources.areConcerned(by: event) else { return }
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

/// The stored values that the rows of a request are computed from.
private struct RowSources {
    private let entity: EntityDescription
    /// The slots of the entity that are read; `nil` if any change of an object counts, because the
    /// store computes a value that is read.
    private let slots: SlotSet?
    private let dependencies: [RelationshipDependency]
    /// The entities with objects that decide about the requests in the predicates.
    private let fetched: Set<EntityDescription>

    init(_ plan: RowPlan, fetched: Set<EntityDescription>) {
        entity = plan.query.entity
        let (predicate, sorts) = plan.operands
        dependencies = RelationshipDependency.all(of: predicate, sorts)
        let slots = RelationshipDependency.ownSlots(of: predicate, sorts)
        let isComputed = entity.attributes.contains { $0.isDerived && slots.contains($0.slot) }
        self.slots = isComputed ? nil : slots
        self.fetched = fetched
    }

    /// True if the rows may be others after an event, or after the save that follows it.
    func areConcerned(by event: EventChanges) -> Bool {
        event.extent == .unknown || !dependencies.isEmpty && event.extent > .complete
            || event.merged.contains(where: isConcerned)
            || event.touched.contains { isSource($0.entity) }
            || event.vanished.contains { isSource($0.entity) }
    }

    private func isSource(_ entity: EntityDescription) -> Bool {
        entity.isKind(of: self.entity) || fetched.contains { entity.isKind(of: $0) }
            || dependencies.contains { entity.isKind(of: $0.destination) }
    }

    private func isConcerned(by changes: ChangedRecords.Entity) -> Bool {
        guard isSource(changes.entity) else { return false }
        guard changes.inserted.isEmpty, changes.deleted.isEmpty,
            !fetched.contains(where: changes.entity.isKind(of:))
        else { return true }
        let isOwn = changes.entity.isKind(of: entity)
        let others = dependencies.filter { changes.entity.isKind(of: $0.destination) }
        return changes.updated.contains { update in
            isOwn && slots.map(update.slots.intersects) ?? true
                || others.contains { update.slots.intersects($0.slots) }
        }
    }
}
