import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What is unsaved of an object that another one stands for, which is in use beside it: that gets
/// it where it has no change of its own, and the object leaves.
struct UnsavedChanges {
    private let object: ManagedObject
    private let context: ManagedObjectContext

    init(of object: ManagedObject, in context: ManagedObjectContext) {
        self.object = object
        self.context = context
    }

    /// - Parameter other: With its row.
    /// - Throws: ``StoreError``.
    func pass(to other: ManagedObject) throws {
        object.reportChanges()
        context.askAnewAround(object)
        let isDeleted = object.flags.contains(.deleted)
        if isDeleted {
            context.deletedIDs.remove(object.localID)
            context.delete(other)
        } else if object.hasChanges, !other.flags.contains(.deleted) {
            for unit in object.home.plan.units where isShared(unit, with: other) {
                pass(unit, to: other)
            }
            for relationship in object.home.plan.references {
                try pass(relationship, to: other)
            }
            for (index, relationship) in object.home.plan.relations.enumerated() {
                try pass(relationship, at: index, to: other)
            }
        }
        context.dropInsertion(of: object, for: other)
    }

    private func isShared(_ property: PropertyDescription, with other: ManagedObject) -> Bool {
        other.entity.isKind(of: property.entity)
    }

    private func isShared(_ unit: EntityPlan.Unit, with other: ManagedObject) -> Bool {
        unit.slots.allSatisfy {
            object.entity.slots[$0].attribute != nil
                && isShared(object.entity.slots[$0], with: other)
        }
    }

    /// What both have counted is counted.
    private func pass(_ unit: EntityPlan.Unit, to other: ManagedObject) {
        let changed = unit.slots.filter(object.isChangedSinceCommit)
        guard !changed.isEmpty else { return }
        if let slot = changed.first, let delta = object.delta(inSlot: slot) {
            return other.write(other.sum(with: delta, inSlot: slot), to: slot)
        }
        guard !unit.slots.contains(where: other.isChangedSinceCommit) else { return }
        for slot in unit.slots where other.slots[slot] != object.slots[slot] {
            other.write(object.slots[slot], to: slot)
        }
        guard let group = unit.group, let carried = context.carriedGroups[object]?[group] else {
            return
        }
        context.touch(other)
        context.carriedGroups[other, default: [:]][group] = carried
    }

    private func pass(
        _ relationship: RelationshipDescription, to other: ManagedObject
    ) throws {
        let slot = relationship.slot
        guard object.isChangedSinceCommit(slot) else { return }
        let target = try context.targetOrThrow(of: object, by: relationship)
        context.takeBackReference(of: object, relationship)
        guard isShared(.relationship(relationship), with: other),
            !other.isChangedSinceCommit(slot)
        else { return }
        try context.setTarget(
            of: other, by: relationship, to: target === object ? other : target)
    }

    /// The other ends have the object's ID still, and follow with whatever mentions it.
    private func pass(
        _ relationship: RelationshipDescription, at index: Int, to other: ManagedObject
    ) throws {
        guard let table = object.relations, table.changes(at: index),
            isShared(.relationship(relationship), with: other),
            let place = other.home.plan.relationIndex(of: relationship)
        else { return }
        let state = table.states[index]
        guard relationship.isToMany else {
            guard let id = state.added.first,
                let member = try context.object(id, of: relationship.destination)
            else { return }
            return try context.setTarget(of: other, by: relationship, to: member)
        }
        let order = state.listed
        let added = order.filter(state.added.contains) + state.added.subtracting(order).sorted()
        let own = object.localID
        context.touch(other)
        context.recorder?.recordList(of: other, at: place, in: context)
        other.changeRelation(place) { members in
            for id in added { members.add(id == own ? other.localID : id) }
            for id in state.removed where !members.added.contains(id) {
                members.remove(
                    id == own ? other.localID : id, isStored: true, seenIn: state.seen?[id])
            }
        }
    }
}
