import AnabranchReplication
import AnabranchStore

/// The unsaved edits of a context that are laid over stored values which their author has not seen.
///
/// An edit is laid over a value if another save has changed the property in the store since the
/// edit was made, and the context has read the row again. The save of such an edit overwrites a
/// value that was saved, so it records that value in the conflict journal, or is refused
/// (``ManagedObjectContext/treatsMergedChangesAsConflicts``). A pending deletion counts as an edit
/// of every stored property.
struct OverlaidEdits {
    /// What an edit was made on: the version, and the stored value.
    struct Base: Sendable {
        let version: RowVersion
        let value: PropertyValue
    }

    private var bases: [ManagedObject: [Int: Base]] = [:]

    var isEmpty: Bool { bases.isEmpty }

    /// Registers an edit. If the edit was laid over another value before, its first base stays.
    mutating func add(_ base: Base, of object: ManagedObject, inSlot slot: Int) {
        if bases[object]?[slot] == nil { bases[object, default: [:]][slot] = base }
    }

    /// Forgets the edits of an object, which were saved or discarded.
    mutating func forget(_ object: ManagedObject) {
        if !bases.isEmpty { bases[object] = nil }
    }

    /// Moves the edits of an object to the object that takes its place.
    mutating func move(from object: ManagedObject, to other: ManagedObject) {
        if !bases.isEmpty { bases[other] = bases.removeValue(forKey: object) }
    }

    /// The base of an edit; `nil` if its author has seen the stored value.
    subscript(object: ManagedObject, slot: Int) -> Base? { bases[object]?[slot] }

    /// The bases of the edits of some objects, by record and slot.
    func bases(of objects: [ManagedObject]) -> [LocalID: [Int: Base]] {
        objects.reduce(into: [:]) { all, object in all[object.localID] = bases[object] }
    }

    /// The versions of an object's row up to which the authors of its pending edits have seen the
    /// stored values, by slot. Slots that have the seen value again are left out.
    func seenVersions(of object: ManagedObject) -> [Int: RowVersion] {
        (bases[object] ?? [:])
            .filter { slot, base in
                base.value != object.committedValue(slot) || object.hasPosition(slot)
            }
            .mapValues(\.version)
    }
}

extension ManagedObjectContext {
    /// Registers which unsaved edits of an object a newer row lies under. Call it before the object
    /// gets the row.
    ///
    /// - Parameter row: The values of all slots.
    func recordOverlaidEdits(of object: ManagedObject, over row: borrowing SlotStorage) {
        let isDeleted = object.flags.contains(.deleted)
        guard isDeleted || !object.committed.isEmpty, !object.flags.contains(.inserted) else {
            return
        }
        for unit in object.home.plan.units
        where isDeleted
            || unit.slots.contains(where: {
                object.isChangedSinceCommit($0) || object.isMoved(in: $0)
            })
        {
            recordOverlaidEdits(of: object, unit, over: row)
        }
    }

    func recordOverlaidEdits(
        of object: ManagedObject, _ unit: EntityPlan.Unit, over row: borrowing SlotStorage
    ) {
        for slot in unit.slots
        where object.committedValue(slot) != row[slot] || object.hasPosition(slot) {
            let base = OverlaidEdits.Base(
                version: object.version, value: object.committedValue(slot))
            overlaidEdits.add(base, of: object, inSlot: slot)
        }
    }
}

extension ManagedObject {
    /// True if a slot has a reference to the owner of a list, with which the position in the list
    /// is stored. Objects do not show positions, so only the store can tell if one has changed.
    final func hasPosition(_ slot: Int) -> Bool {
        guard let relationship = entity.slots[slot].relationship,
            relationship.storage == .reference
        else { return false }
        return relationship.inverse?.isOrdered ?? false
    }

    /// True if the object was added to the list of the owner to which a reference points, or was
    /// moved in it.
    final func isMoved(in slot: Int) -> Bool {
        guard hasPosition(slot), case .integer(let id) = slots[slot],
            let owner = managedObjectContext?.held(id),
            let inverse = entity.slots[slot].relationship?.inverse,
            let index = owner.home.plan.relationIndex(of: inverse)
        else { return false }
        return owner.relations?.states[index].list?.placed.contains(localID) ?? false
    }
}
