import AnabranchModel

/// The rows of a request, which are fetched again when the store has changed.
final class LiveRows<Object: ManagedObject>: LiveSource {
    private let request: RowRequest<Object>
    private let context: ManagedObjectContext
    private let observer: EntityObserver

    init(
        _ request: RowRequest<Object>, in context: ManagedObjectContext, _ signal: ChangeSignal
    ) throws {
        self.request = request
        self.context = context
        observer = EntityObserver(try RowPlan(request, in: context).entities, signal)
        context.followers.add(observer)
    }

    func value() throws -> [FetchedRow] { try context.fetch(request) }
}

/// Raises a signal when objects of some entities were saved, here or elsewhere.
private final class EntityObserver: ContextObserver {
    private let entities: Set<EntityDescription>
    private let signal: ChangeSignal
    /// True if the next save concerns the rows.
    private var hasUnsavedChange = false

    init(_ entities: Set<EntityDescription>, _ signal: ChangeSignal) {
        self.entities = entities
        self.signal = signal
    }

    func contextDidChange(_ event: EventChanges) {
        let changed = event.touched + event.vanished
        if changed.contains(where: { isConcerned(by: $0.entity) }) { hasUnsavedChange = true }
        if event.merged.contains(where: { isConcerned(by: $0.entity) }) { signal.raise() }
    }

    func contextDidSave() {
        if hasUnsavedChange { signal.raise() }
        hasUnsavedChange = false
    }

    private func isConcerned(by entity: EntityDescription) -> Bool {
        entities.contains { entity.isKind(of: $0) }
    }

    func contextWasReset() {}
}
