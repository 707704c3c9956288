public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

// Nothing in this file fires a fault, except `committedValues(forKeys:)`.
extension ManagedObject {
    /// The object's entity.
    public final var entity: EntityDescription { home.entity }

    /// The object's ID, which is permanent from insertion on.
    public final var objectID: ManagedObjectID {
        ManagedObjectID(origin: home.origin, entity: home.entity, localID: localID)
    }

    /// The object's context. It is `nil` after the context has forgotten the object: the context
    /// was reset, the object's insertion was rolled back, or its deletion was saved.
    public final var managedObjectContext: ManagedObjectContext? {
        flags.contains(.detached) ? nil : home.context
    }

    /// True if the values have not been read from the store yet.
    public final var isFault: Bool { !flags.contains(.isFired) }
    /// The state of the object in faulting: 0 if it is not a fault, 1 if it is a fault, 2 during a
    /// transition. A transition is ``awakeFromFetch()``, and the time from ``willTurnIntoFault()``
    /// to the end of ``didTurnIntoFault()``.
    public final var faultingState: UInt {
        flags.contains(.inTransition) ? 2 : flags.contains(.isFired) ? 0 : 1
    }
    /// True if the object was inserted and is not saved yet.
    public final var isInserted: Bool { flags.contains(.inserted) && !flags.contains(.deleted) }
    /// True if the object was updated since the last save. It is false if ``isInserted`` or
    /// ``isDeleted`` is true.
    public final var isUpdated: Bool {
        flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted])
    }
    /// True if the object was deleted and the deletion is not saved yet, or if its record was
    /// found to be deleted in the store.
    public final var isDeleted: Bool { flags.contains(.deleted) }
    /// True if the object was inserted, updated or deleted since the last save.
    public final var hasChanges: Bool { !flags.isDisjoint(with: .changes) }

    // Debug builds only check this.
    @usableFromInline
    final var isOnItsQueue: Bool { home.context?.queue.isCurrent ?? true }

    /// Returns a message that names the object and the context that were used on the wrong queue.
    @usableFromInline
    final func misuse(_ use: String) -> String {
        guard let context = home.context else { return "" }
        return "\(context.title) has \(objectID), which was \(use) outside \(context.queue). "
            + context.queue.advice
    }
}

extension ManagedObject {
    /// True if a property that is not transient differs from the last saved state.
    public final var hasPersistentChangedValues: Bool {
        !changedStoredSlots.isEmpty || hasChangedRelations
    }

    /// Returns the present values of attributes and to-one relationships that differ from the last
    /// saved state, by name. For a new object, these are the values that are not null. A to-one
    /// relationship has a record reference as its value.
    ///
    /// - Throws: `StoreError` if the store is closed.
    public final func changedValues() throws -> [String: PropertyValue] {
        try changedRowValues().merging(changedInverseReferences()) { own, _ in own }
    }

    /// Returns the changed values that are in the object's own row.
    final func changedRowValues() throws -> [String: PropertyValue] {
        var values: [String: PropertyValue] = [:]
        guard !isFault else { return values }
        let primitives = managedObjectContext?.primitives
        for property in entity.slots where isChanged(property.slot) {
            if primitives?.contains(self, property.slot) == true { continue }
            values[property.name] = try portable(slots[property.slot], of: property)
        }
        return values
    }

    /// The names of the to-many relationships that have gained or lost members since the last
    /// save.
    public final var changedRelationshipNames: [String] {
        home.plan.relations.filter(\.isToMany).compactMap { relationship in
            relations?.changes(at: home.plan.relationIndex[relationship.slot]) ?? false
                ? relationship.name : nil
        }
    }

    /// Returns the last fetched or saved values of attributes and to-one relationships, by name.
    /// An object that was never saved has none. A to-one relationship has a record reference as
    /// its value; if the other end stores the reference, it may have to be read.
    ///
    /// - Parameter keys: The names of the properties; `nil` for all stored ones. A to-many
    ///   relationship has no value here; see ``changedRelationshipNames``.
    /// - Throws: ``PropertyError`` for a name that the entity lacks; `StoreError`.
    public final func committedValues(forKeys keys: [String]? = nil) throws -> [String:
        PropertyValue]
    {
        let properties = try keys?.map { try property(named: $0) } ?? entity.slots
        guard !flags.contains(.inserted) else { return [:] }
        try fireFaultOrThrow()
        var values: [String: PropertyValue] = [:]
        for property in properties {
            if let relationship = property.relationship, relationship.isMemberReference {
                if keys == nil, relationship.isTransient { continue }
                values[property.name] = try committedInverseReference(relationship)
            } else if keys != nil || home.plan.isRead[property.slot] {
                values[property.name] = try portable(committedValue(property.slot), of: property)
            }
        }
        return values
    }

    private final func isChanged(_ slot: Int) -> Bool {
        if flags.contains(.inserted) { return !slots[slot].isNull }
        return isChangedSinceCommit(slot)
    }

    /// Returns the value that a slot had when the object was last fetched or saved.
    final func committedValue(_ slot: Int) -> PropertyValue {
        committed.isEmpty ? slots[slot] : committed[slot]
    }

    final func isChangedSinceCommit(_ slot: Int) -> Bool {
        !committed.isEmpty && !slots.agrees(with: committed, at: slot)
    }

    /// Converts the value of a reference slot from a local ID to a record reference.
    final func portable(
        _ value: PropertyValue, of property: PropertyDescription
    ) throws -> PropertyValue {
        guard property.relationship != nil, case .integer(let id) = value else { return value }
        return .reference(try home.origin.recordID(of: id))
    }

    /// The stored slots that differ from the last saved state, in ascending order; all stored
    /// slots of an object that was never saved.
    final var changedStoredSlots: [Int] {
        if flags.contains(.inserted) { return home.plan.storedSlots }
        return home.plan.storedSlots.filter(isChangedSinceCommit)
    }

    private final var hasChangedRelations: Bool {
        relations?.states.contains { !$0.isTransient && $0.hasChanges } ?? false
    }
}
