import AnabranchStore

/// The objects of a context's notification, for code on the context's queue.
///
/// Each set is created when it is read, and so a notification that no observer reads creates none.
/// An object that another context inserted, and that is not registered here, is created as a
/// fault.
public final class ChangedObjects {
    private let changes: ObjectIDChanges
    private let context: ManagedObjectContext
    /// Returns the objects that the context had at hand, including those that it has released
    /// since.
    private let candidates: () -> [ManagedObject]
    private lazy var known: [LocalID: ManagedObject] = Dictionary(
        candidates().map { ($0.localID, $0) }, uniquingKeysWith: { first, _ in first })

    init(
        _ changes: ObjectIDChanges, of context: ManagedObjectContext,
        among candidates: @escaping () -> [ManagedObject]
    ) {
        self.changes = changes
        self.context = context
        self.candidates = candidates
    }

    /// The inserted objects.
    public var inserted: Set<ManagedObject> {
        Set(changes.inserted.map { known[$0.localID] ?? context.object(with: $0) })
    }
    /// The objects that this context's code changed, or that a save wrote as changed.
    public var updated: Set<ManagedObject> { objects(changes.updated) }
    /// The deleted objects. Some of them have left the context and only keep their last values.
    public var deleted: Set<ManagedObject> { objects(changes.deleted) }
    /// The objects that got new values from the store, or became faults.
    public var refreshed: Set<ManagedObject> { objects(changes.refreshed) }
    /// The objects that left the context because their insertion was undone or rolled back.
    public var invalidated: Set<ManagedObject> { objects(changes.invalidated) }

    private func objects(_ list: ObjectIDList) -> Set<ManagedObject> {
        Set(list.compactMap { known[$0.localID] })
    }
}

@available(*, unavailable)
extension ChangedObjects: Sendable {}
