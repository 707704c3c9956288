import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What a context was like before a save began to resolve conflicts: where the save fails after
/// all, everything is pending as before.
///
/// Objects are kept as they are when they are first changed, so that a save point costs what the
/// resolution changes.
final class SavePoint {
    private let changed: [ManagedObject]
    private let counts: ChangeCounts
    private let event: EventChanges
    private let unpropagated: [ManagedObject]
    private let deletedIDs: Set<LocalID>
    private let incompletelyCleared: Set<LocalID>
    private let goneIDs: Set<LocalID>
    private let refaultedIDs: [LocalID]
    private let carriedGroups: [ManagedObject: [WireProperty: GroupValue]]
    private let overlaidEdits: OverlaidEdits
    private let recorded: ChangeRecorder.Memory?
    private var kept: [ManagedObject: KeptObject] = [:]
    /// What a policy of the app's own has inserted.
    private var inserted: Set<ManagedObject> = []

    init(_ context: ManagedObjectContext) {
        changed = context.changed
        counts = context.counts
        event = context.event
        unpropagated = context.unpropagated
        deletedIDs = context.deletedIDs
        incompletelyCleared = context.incompletelyCleared
        goneIDs = context.goneIDs
        refaultedIDs = context.refaultedIDs
        carriedGroups = context.carriedGroups
        overlaidEdits = context.overlaidEdits
        recorded = context.recorder?.memory
    }

    /// Keeps an object as it is, unless it is kept already.
    func capture(_ object: ManagedObject) {
        if kept[object] == nil, !inserted.contains(object) { kept[object] = KeptObject(object) }
    }

    /// The kept objects that have other attributes or references than then, or are no longer
    /// deleted; by record.
    var objectsWithOtherValues: [ManagedObject] {
        kept.filter { $1.hasOtherValues($0) }.map(\.key).sorted { $0.localID < $1.localID }
    }

    /// Notes an object that was not there.
    func recordInsertion(of object: ManagedObject) { inserted.insert(object) }

    func restore(_ context: ManagedObjectContext) {
        for object in inserted where !object.flags.contains(.detached) {
            object.reportChanges()
            context.detach(object)
            object.flags.subtract([.deleted, .listed])
        }
        for object in kept.keys where context.registry[object.localID] === object {
            context.registry.remove(object.localID)
        }
        for (object, state) in kept {
            state.restore(object)
            if !object.flags.contains(.detached) {
                context.registry.insert(object, for: object.localID)
                object.listRelations()
            }
        }
        context.changed = changed
        context.pendingKeys = PendingKeys()
        context.counts = counts
        context.event = event
        context.unpropagated = unpropagated
        context.deletedIDs = deletedIDs
        context.incompletelyCleared = incompletelyCleared
        context.goneIDs = goneIDs
        context.refaultedIDs = refaultedIDs
        context.carriedGroups = carriedGroups
        context.overlaidEdits = overlaidEdits
        if let recorded { context.recorder?.memory = recorded }
    }
}

private final class KeptObject {
    private var slots: SlotStorage
    private var committed: SlotStorage
    private let writtenSlots: UInt64
    private let flags: ObjectFlags
    private let localID: LocalID
    private let version: RowVersion
    private let relations: [RelationState]?

    init(_ object: ManagedObject) {
        slots = SlotStorage(copying: object.slots)
        committed = SlotStorage(copying: object.committed)
        writtenSlots = object.writtenSlots
        flags = object.flags
        localID = object.localID
        version = object.version
        relations = object.relations?.states
    }

    func hasOtherValues(_ object: ManagedObject) -> Bool {
        guard flags.contains(.isFired) else { return false }
        return flags.contains(.deleted) && !object.flags.contains(.deleted)
            || !slots.buffer.elementsEqual(object.slots.buffer)
    }

    func restore(_ object: ManagedObject) {
        object.reportChanges()
        swap(&object.slots, &slots)
        swap(&object.committed, &committed)
        object.writtenSlots = writtenSlots
        object.flags = flags
        object.localID = localID
        object.version = version
        object.relations = relations.map { states in
            let table = RelationTable(object.home.plan)
            table.states = states
            return table
        }
    }
}
