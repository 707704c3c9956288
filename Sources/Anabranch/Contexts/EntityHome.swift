import AnabranchModel

/// What the objects of one entity in one context share: the way to both.
///
/// The context is `nil` once it is gone or was reset, so that all objects of that time have lost
/// it at once.
final class EntityHome {
    let plan: EntityPlan
    let entity: EntityDescription
    let origin: StoreOrigin
    // The context sets it to nil in its own deinit and when it is reset.
    unowned(unsafe) var context: ManagedObjectContext?
    /// Records whose objects were made without their rows, most recent last: when one is needed,
    /// so are probably the others, and one read brings many.
    var faults: [Int64] = []

    /// - Parameter origin: Another store's, for objects that stand for its IDs; `nil` for the
    ///   context's own.
    init(_ plan: EntityPlan, context: ManagedObjectContext, origin: StoreOrigin? = nil) {
        self.plan = plan
        entity = plan.entity
        self.origin = origin ?? context.coordinator.origin
        self.context = context
    }
}
