import AnabranchStore

/// The objects that a notification of a context tells of, for code on the context's queue.
///
/// The sets are made when they are asked for: a notification that nobody reads makes none. An
/// object that another context has inserted, and that is not registered here, is made as a fault
/// when it is asked for.
public final class ChangedObjects {
    private let changes: ObjectIDChanges
    private let context: ManagedObjectContext
    /// Those that the context had at hand, among them what it has let go of since.
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

    public var inserted: Set<ManagedObject> {
        Set(changes.inserted.map { known[$0.localID] ?? context.object(with: $0) })
    }
    /// Changed by the context's own code, or saved as changed.
    public var updated: Set<ManagedObject> { objects(changes.updated) }
    /// Some of them have left the context, and only keep what they had.
    public var deleted: Set<ManagedObject> { objects(changes.deleted) }
    /// Values came anew from the store, or the object became a fault.
    public var refreshed: Set<ManagedObject> { objects(changes.refreshed) }
    /// Insertions that were taken back.
    public var invalidated: Set<ManagedObject> { objects(changes.invalidated) }

    private func objects(_ list: ObjectIDList) -> Set<ManagedObject> {
        Set(list.compactMap { known[$0.localID] })
    }
}

@available(*, unavailable)
extension ChangedObjects: Sendable {}
