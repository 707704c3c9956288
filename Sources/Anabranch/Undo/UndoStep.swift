import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// How to take one event back: what it has changed, with what was there before.
///
/// It names records by the IDs that they had then (``ChangeRecorder/current(_:)-(LocalID)``).
struct UndoStep {
    struct Part {
        let object: ManagedObject
        let origin: ObjectOrigin
        /// What the event has left of the object.
        let existence: ObjectOrigin.Existence
        /// What has changed.
        let slots: [(slot: Int, before: PropertyValue, after: PropertyValue)]
        let hasOtherGroups: Bool
        /// Whose references a deletion had emptied, or others have led elsewhere, not an edit.
        let filledSlots: Set<Int>
        /// References that had led to somebody whose deletion was pending.
        let doomedSlots: Set<Int>
        let isLed: Bool
    }

    struct List {
        let key: ListKey
        let origin: ListOrigin
        /// Members that the event has removed or moved.
        let moved: Set<LocalID>
        /// Those that are placed otherwise than before: moved, or written with a place.
        let placedOtherwise: Set<LocalID>
        /// Members whose deletion was not followed yet, and takes them out when it is saved.
        let waiting: Set<LocalID>
    }

    private(set) var parts: [Part] = []
    let links: [LinkKey: Bool]
    private(set) var lists: [List] = []
    let clearedReferences: [ClearedReference]
    let clearedRemovals: [ListKey: Set<LocalID>]
    let regainedParts: [ListKey: Set<LocalID>]
    /// The context's, when it was recorded.
    let saveCount: Int
    let mergeCount: Int

    /// - Returns: `nil` where nothing differs from what was before.
    init?(
        _ record: ChangeRecorder.Record, earlierValues: [ManagedObject: [PropertyValue]],
        _ recorder: ChangeRecorder, in context: ManagedObjectContext
    ) {
        links = record.links
        clearedReferences = record.clearedReferences
        clearedRemovals = record.clearedRemovals
        regainedParts = record.regainedParts
        saveCount = recorder.saveCount
        mergeCount = record.mergeCount ?? recorder.mergeCount
        // What was set and emptied again in one event is filled when the deletion is undone.
        let cleared = Dictionary(grouping: record.clearedReferences, by: \.object)
            .mapValues { Set($0.map(\.slot)) }
        var isEmpty = record.links.isEmpty
        for object in record.objects {
            guard let origin = record.origins[object], !object.isGoneElsewhere else { continue }
            let slots = Self.changedSlots(
                of: object, since: record.adoptedValues[object] ?? earlierValues[object],
                and: cleared[object] ?? [], recorder)
            let doomed = slots.filter { slot, before, _ in
                object.entity.slots[slot].relationship?.keepsTarget ?? false
                    && context.wasDeleted(before, before: record)
            }
            let part = Part(
                object: object, origin: origin, existence: object.existence, slots: slots,
                hasOtherGroups: context.carriedGroups[object] != origin.carriedGroups,
                filledSlots: record.filled[object] ?? [], doomedSlots: Set(doomed.map(\.slot)),
                isLed: record.led.contains(object))
            if part.changesSomething {
                isEmpty = false
            } else if origin.existence == .absent
                || origin.wasUpdated == object.flags.contains(.updated)
                    && !record.led.contains(object)
            {
                continue
            }
            parts.append(part)
        }
        for (key, origin) in record.lists {
            context.loadOrder(of: key)
            guard let list = List(key, origin, record.waiting, recorder) else { continue }
            lists.append(list)
            if !list.placedOtherwise.isEmpty { isEmpty = false }
        }
        if isEmpty { return nil }
    }

    /// What the properties had before that the event has changed, by slot.
    var formerValues: [ManagedObject: [Int: PropertyValue]] {
        parts.reduce(into: [:]) { values, part in
            for (slot, before, _) in part.slots { values[part.object, default: [:]][slot] = before }
        }
    }

    private static func changedSlots(
        of object: ManagedObject, since earlier: [PropertyValue]?, and others: Set<Int>,
        _ recorder: ChangeRecorder
    ) -> [(slot: Int, before: PropertyValue, after: PropertyValue)] {
        guard let earlier, object.slots.count == earlier.count else { return [] }
        let properties = object.entity.slots
        return earlier.indices.compactMap { slot in
            let isReference = properties[slot].relationship != nil
            let before = recorder.current(earlier[slot], isReference: isReference)
            let after = recorder.current(object.slots[slot], isReference: isReference)
            return before == after && !others.contains(slot) ? nil : (slot, before, after)
        }
    }
}

extension UndoStep.Part {
    fileprivate var changesSomething: Bool {
        existence != origin.existence || !slots.isEmpty || hasOtherGroups
    }
}

extension ManagedObjectContext {
    /// Whether a reference led to somebody whose deletion was pending when an event began.
    fileprivate func wasDeleted(_ target: PropertyValue, before record: ChangeRecorder.Record)
        -> Bool
    {
        guard case .integer(let id) = target, let object = held(id) else { return false }
        return (record.origins[object]?.existence ?? object.existence) == .deleted
    }

    /// A list that the event has asked for anew is read, to be compared with what it was.
    fileprivate func loadOrder(of key: ListKey) {
        let owner = key.owner
        guard owner.flags.isDisjoint(with: [.inserted, .deleted, .detached]),
            owner.relations?.states[key.index].members == nil
        else { return }
        do {
            _ = try members(of: owner, at: key.index)
        } catch {
            keep(error)
        }
    }
}

extension UndoStep.List {
    /// - Returns: `nil` where the list is as it was, or is gone.
    fileprivate init?(
        _ key: ListKey, _ origin: ListOrigin, _ waiting: Set<LocalID>, _ recorder: ChangeRecorder
    ) {
        guard let list = key.owner.relations?.states[key.index].list else { return nil }
        self.key = key
        self.origin = ListOrigin(
            order: origin.order.map(recorder.current),
            placed: Set(origin.placed.map(recorder.current)))
        let before = self.origin
        moved = list.moved(since: before.order)
        placedOtherwise = moved.union(before.placed.symmetricDifference(list.placed))
        self.waiting = waiting.intersection(before.order)
        if placedOtherwise.isEmpty, self.waiting.isEmpty { return nil }
    }
}

extension ManagedObject {
    /// Whether somebody else has deleted the object's record.
    final var isGoneElsewhere: Bool { flags.contains([.deleted, .detached]) }

    /// What the context has of the object.
    final var existence: ObjectOrigin.Existence {
        flags.contains(.detached) ? .absent : flags.contains(.deleted) ? .deleted : .present
    }
}
