import AnabranchModel
import AnabranchStore

/// A live view of an object's to-many relationship, whose calls can't throw.
protocol RelationshipView {
    var owner: ManagedObject { get }
    var slot: Int { get }
}

extension RelationshipView {
    var relationship: RelationshipDescription? { owner.entity.slots[slot].relationship }

    /// As ``ManagedObject/attempt(at:or:_:)``, with the owner.
    func attempt<Result>(
        or fallback: Result,
        _ body: (ManagedObjectContext, RelationshipDescription) throws -> Result
    ) -> Result { owner.attempt(at: slot, or: fallback, body) }

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

extension ManagedObject {
    /// Runs a body in the object's context and keeps its error for the next save.
    ///
    /// - Parameter fallback: The result if the body throws, or the object has lost its context.
    final func attempt<Result>(
        at slot: Int, or fallback: Result,
        _ body: (ManagedObjectContext, RelationshipDescription) throws -> Result
    ) -> Result {
        assert(isOnItsQueue, misuse("used"))
        reportAccess(slot)
        guard let context = managedObjectContext, let relationship = entity.slots[slot].relationship
        else { return fallback }
        do {
            return try body(context, relationship)
        } catch {
            context.keep(error)
            return fallback
        }
    }

    /// The objects of a to-many relationship, of a list in their order, else ascending.
    ///
    /// - Parameter type: The class of the objects. Objects of another class are left out.
    @usableFromInline
    final func relatedObjects(at slot: Int, as type: ManagedObject.Type) -> [ManagedObject] {
        attempt(at: slot, or: []) { context, relationship in
            let objects = try context.relatedObjects(of: self, by: relationship)
            // The classes of sub-entities inherit from that of the entity.
            if context.home(of: relationship.destination).plan.type.isKind(of: type) {
                return objects
            }
            return objects.filter { Swift.type(of: $0).isKind(of: type) }
        }
    }

    /// True if the class is another one or inherits from it.
    static func isKind(of other: ManagedObject.Type) -> Bool {
        var next: AnyClass? = self
        while let current = next {
            if current == other { return true }
            next = _getSuperclass(current)
        }
        return false
    }
}
