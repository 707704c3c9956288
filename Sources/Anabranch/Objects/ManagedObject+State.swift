public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

// Nothing here makes a fault fire.
extension ManagedObject {
    public final var entity: EntityDescription { home.entity }

    public final var objectID: ManagedObjectID {
        ManagedObjectID(origin: home.origin, entity: home.entity, localID: localID)
    }

    /// `nil` once the context has forgotten the object: it was reset, the object's insertion was
    /// rolled back, or its deletion was saved.
    public final var managedObjectContext: ManagedObjectContext? {
        flags.contains(.detached) ? nil : home.context
    }

    /// Whether the values still have to come from the store.
    public final var isFault: Bool { !flags.contains(.realised) }
    /// 0 where the object is no fault and is not becoming or ceasing to be one: not in
    /// `awakeFromFetch`, nor between `willTurnIntoFault` and the end of `didTurnIntoFault`.
    public final var faultingState: UInt {
        flags.contains(.inTransition) ? 2 : flags.contains(.realised) ? 0 : 1
    }
    /// Inserted, and not yet saved.
    public final var isInserted: Bool { flags.contains(.inserted) && !flags.contains(.deleted) }
    /// Changed, and not yet saved; never true of an object that was inserted and not yet saved.
    public final var isUpdated: Bool {
        flags.contains(.updated) && flags.isDisjoint(with: [.inserted, .deleted])
    }
    /// Deleted, and not yet saved; or found to be deleted elsewhere.
    public final var isDeleted: Bool { flags.contains(.deleted) }
    public final var hasChanges: Bool { !flags.isDisjoint(with: .changes) }

    // Asked by debug builds only.
    @usableFromInline
    final var isOnItsQueue: Bool { home.context?.queue.isCurrent ?? true }

    /// Says which object of which context was used where it may not be.
    @usableFromInline
    final func misuse(_ use: String) -> String {
        guard let context = home.context else { return "" }
        return "\(context.title) has \(objectID), which was \(use) outside \(context.queue). "
            + context.queue.advice
    }
}

extension ManagedObject {
    /// Whether something differs from the last saved state, transient attributes aside.
    public final var hasPersistentChangedValues: Bool {
        !changedStoredSlots.isEmpty || hasChangedRelations
    }

    /// The present values of attributes and to-one relationships that differ from the last saved
    /// state, by name; of a new object, those that are not null. A to-one is a record reference.
    ///
    /// - Throws: ``StoreError`` where the store is closed.
    public final func changedValues() throws -> [String: Value] {
        try changedRowValues().merging(changedInverseReferences()) { own, _ in own }
    }

    /// Those of the changed values that are in the object's own row.
    final func changedRowValues() throws -> [String: Value] {
        var values: [String: Value] = [:]
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

    /// The last fetched or saved values of attributes and to-one relationships; of an object that
    /// was never saved, none. A to-one is a record reference; one whose reference is the other
    /// end's may have to be read.
    ///
    /// - Parameter keys: `nil` for all that are stored. Relationships to many have no value here;
    ///   see ``changedRelationshipNames``.
    /// - Throws: ``PropertyError`` for a name that the entity lacks; ``StoreError``.
    public final func committedValues(forKeys keys: [String]? = nil) throws -> [String: Value] {
        let properties = try keys?.map { try property(named: $0) } ?? entity.slots
        guard !flags.contains(.inserted) else { return [:] }
        try realiseOrThrow()
        var values: [String: Value] = [:]
        for property in properties {
            if let relationship = property.relationship, relationship.isInverseReference {
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

    /// What a slot had when the object was last fetched or saved.
    final func committedValue(_ slot: Int) -> Value {
        committed.isEmpty ? slots[slot] : committed[slot]
    }

    final func isChangedSinceCommit(_ slot: Int) -> Bool {
        !committed.isEmpty && !slots.agrees(with: committed, at: slot)
    }

    /// A reference leaves the store as the record's identity.
    final func portable(
        _ value: Value, of property: PropertyDescription
    ) throws -> Value {
        guard property.relationship != nil, case .integer(let id) = value else { return value }
        return .reference(try home.origin.recordID(of: id))
    }

    /// Ascending; every stored slot of an object that was never saved.
    final var changedStoredSlots: [Int] {
        if flags.contains(.inserted) { return home.plan.storedSlots }
        return home.plan.storedSlots.filter(isChangedSinceCommit)
    }

    private final var hasChangedRelations: Bool {
        relations.map { table in table.states.indices.contains { table.changes(at: $0) } } ?? false
    }
}
