import AnabranchModel
import AnabranchStore

/// A live view of an object's to-many relationship, whose calls can't throw.
protocol RelationshipView {
    var owner: ManagedObject { get }
    var slot: Int { get }
}

extension RelationshipView {
    var relationship: RelationshipDescription? { owner.entity.slots[slot].relationship }

    /// Runs a body in the owner's context and keeps its error for the next save.
    ///
    /// - Parameter fallback: The result where the body throws, or the owner has lost its context.
    func attempt<Result>(
        or fallback: Result,
        _ body: (ManagedObjectContext, RelationshipDescription) throws -> Result
    ) -> Result {
        assert(owner.isOnItsQueue, owner.misuse("used"))
        owner.reportAccess(slot)
        guard let context = owner.managedObjectContext, let relationship else { return fallback }
        do {
            return try body(context, relationship)
        } catch {
            context.keep(error)
            return fallback
        }
    }

    /// As ``attempt(or:_:)``, to change the relationship; that of an owner that is gone is refused.
    func change(_ body: (ManagedObjectContext, RelationshipDescription) throws -> Void) {
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        attempt(or: ()) { context, relationship in
            try owner.fireFaultToWrite(slot)
            try body(context, relationship)
        }
    }
}

extension ManagedObjectSet: RelationshipView {}
extension ManagedObjectList: RelationshipView {}
