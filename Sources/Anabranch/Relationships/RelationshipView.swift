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

    /// The objects of the relationship, of a list in their order, else ascending.
    func relatedObjects<Element: ManagedObject>() -> [Element] {
        attempt(or: []) { context, relationship in
            let objects = try context.relatedObjects(of: owner, by: relationship)
            guard context.home(of: relationship.destination).plan.type is Element.Type else {
                return objects.compactMap { $0 as? Element }
            }
            // The classes of sub-entities inherit from that of the entity, and arrays of objects
            // have the same layout. Converting one by one would cost a tenth of the reading.
            return unsafeBitCast(objects, to: [Element].self)
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
