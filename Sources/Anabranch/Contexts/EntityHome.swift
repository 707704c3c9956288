import AnabranchModel
import AnabranchStore

/// What the objects of one entity in one context share: the way to both.
///
/// The context is `nil` once it is gone or was reset, so that all objects of that time have lost
/// it at once.
final class EntityHome {
    let plan: EntityPlan
    let entity: EntityDescription
    let origin: StoreOrigin
    // The context cuts it off in its own deinit and when it is reset. Counting references to a
    // context is slow, since there are weak ones too, so what every object does spares it.
    @exclusivity(unchecked) private var reference: Unmanaged<ManagedObjectContext>?
    /// The way to the context for errors, which stays when the context is reset or gone; `nil` for
    /// an object that stands for its class.
    private let link: ContextLink?
    /// Records whose objects were made without their rows, most recent last: when one is needed,
    /// so are probably the others, and one read brings many.
    private(set) var faults: [LocalID] = []
    /// How many of them there may be before those that were read another way are sorted out.
    private var maximumFaults = 1024
    /// Whether reads and writes of its objects are told to observers.
    var isObserved: Bool
    /// By the relationship's place in the plan, the objects that have a state of it.
    var related: [RelatedObjects]
    /// What records the reads of an object that stands for its class; `nil` for all other objects.
    let probe: PropertyProbe?

    /// - Parameter origin: Another store's, for objects that stand for its IDs; `nil` for the
    ///   context's own.
    init(_ plan: EntityPlan, context: ManagedObjectContext, origin: StoreOrigin? = nil) {
        self.plan = plan
        entity = plan.entity
        self.origin = origin ?? context.coordinator.origin
        isObserved = origin == nil && context.isObservable
        related = Array(repeating: RelatedObjects(), count: plan.relations.count)
        probe = nil
        link = context.link
        reference = .passUnretained(context)
    }

    /// The home of an object that no context registers, in the context of another home, as long as
    /// that has one.
    init(beside other: EntityHome, _ plan: EntityPlan) {
        self.plan = plan
        entity = plan.entity
        origin = other.origin
        isObserved = false
        related = Array(repeating: RelatedObjects(), count: plan.relations.count)
        probe = nil
        link = other.link
        reference = nil
    }

    /// The home of an object that stands for its class.
    init(of standIn: ProbedClass, probe: PropertyProbe) {
        plan = standIn.plan
        entity = plan.entity
        origin = standIn.origin
        isObserved = true
        related = []
        self.probe = probe
        link = nil
        reference = nil
    }

    var context: ManagedObjectContext? { reference?.takeUnretainedValue() }

    var hasContext: Bool { reference != nil }

    /// Lends the context, which lives on for as long as the body runs: it is called on its queue.
    ///
    /// - Returns: `nil` where the context is gone.
    @inline(__always) @discardableResult
    func withContext<Result>(
        _ body: (ManagedObjectContext) throws -> Result
    ) rethrows -> Result? {
        try reference?._withUnsafeGuaranteedRef(body)
    }

    func cutOff() { reference = nil }

    /// Keeps an error of one of its objects for the context, or for the coordinator if the context
    /// is gone.
    func keep(_ error: any Error) {
        if let context { context.keep(error) } else { link?.keep(error) }
    }

    /// Notes an object that has lost its row, or was made without one.
    func addFault(_ id: LocalID) {
        if faults.count >= maximumFaults { withContext(sortFaults) }
        faults.append(id)
    }

    func takeLastFault() -> LocalID? { faults.popLast() }

    private func sortFaults(in context: ManagedObjectContext) {
        var seen: Set<LocalID> = []
        let unread = faults.reversed().filter { id in
            guard let object = context.held(id), object.home === self else { return false }
            return !object.flags.contains(.hasRow) && seen.insert(id).inserted
        }
        faults = unread.reversed()
        maximumFaults = max(1024, faults.count * 2)
    }
}
