import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What a policy does with objects that would hold one unique key.
extension ManagedObjectContext {
    /// Puts a new object in the place of another one of its class that nobody uses: it is that
    /// record from now on, with what the other one has.
    func transplant(_ other: ManagedObject, into object: ManagedObject) {
        savePoint?.capture(other)
        savePoint?.capture(object)
        recorder?.recordReplacement(of: other, by: object, in: self)
        for slot in other.slots.values.indices where !object.home.plan.isRead[slot] {
            other.slots[slot] = object.slots[slot]
            if !other.committed.isEmpty { other.committed[slot] = object.slots[slot] }
        }
        let changes = other.flags.intersection(.changes)
        let isRefault = other.flags.contains(.refault)
        registry.remove(object.localID)
        carriedGroups[object] = carriedGroups.removeValue(forKey: other)
        overlaidEdits.move(from: other, to: object)
        reclassify(other) { $0.subtract(.changes) }
        reclassify(object) {
            $0.subtract([.inserted, .insertedInEvent, .writable])
            $0.formUnion(changes)
            if isRefault { $0.formUnion(.refault) }
        }
        object.reportChanges()
        follow(renaming: object.localID, to: other.localID)
        object.localID = other.localID
        object.version = other.version
        object.writtenSlots = other.writtenSlots
        object.relations = other.relations
        swap(&object.slots, &other.slots)
        swap(&object.committed, &other.committed)
        other.relations = nil
        other.flags.formUnion(.detached)
        recordChange(object)
        let replaced = registry.insert(object, for: object.localID)
        withExtendedLifetime(replaced) {}
    }

    /// Takes a new object out of the context: it has become another one.
    func dropInsertion(of object: ManagedObject, for other: ManagedObject) {
        savePoint?.capture(object)
        follow(renaming: object.localID, to: other.localID)
        detach(object)
        unpropagated.removeAll { $0 === object }
        object.relations = nil
        object.flags.subtract(.deleted)
        event.invalidated.append(object)
    }

    /// A record is another one from now on: who follows the context hears of it, and what can be
    /// undone goes by the new ID.
    func follow(renaming old: LocalID, to new: LocalID) {
        recorder?.rename([old: new])
        if !followers.isEmpty { event.renamed[old] = new }
    }

    /// Gives an object the key back that it had before it was changed here; a group all of it.
    func restoreKey(_ attributes: [AttributeDescription], of object: ManagedObject) {
        savePoint?.capture(object)
        let slots = Set(attributes.map(\.slot))
        recordWrite(object)
        for unit in object.home.plan.units where !slots.isDisjoint(with: unit.slots) {
            for slot in unit.slots {
                object.reportChange(slot)
                object.slots[slot] = object.committed[slot]
            }
            if let group = unit.group { carriedGroups[object]?[group] = nil }
        }
    }
}
