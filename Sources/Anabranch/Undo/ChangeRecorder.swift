import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Keeps, for a context with an undo stack, what the objects of the present event were like
/// before: what the event's ``UndoStep`` is made from.
///
/// Of an object only that it was touched, and as what, is kept at once; its values are copied
/// before the first write of the event (``EventChanges/earlierValues``), links are noted one by
/// one, and a list's order is kept before its first change.
final class ChangeRecorder {
    let stack: UndoStack
    private(set) var record = Record()
    /// Local IDs that records had before, to those that they got instead.
    private var names: [LocalID: LocalID] = [:]
    /// Records of others that new objects have become: no undo deletes them.
    private var adopted: Set<LocalID> = []

    /// What was noted until now, for who may have to go back to it.
    typealias Memory = (record: Record, names: [LocalID: LocalID], adopted: Set<LocalID>)

    var memory: Memory {
        get { (record, names, adopted) }
        set { (record, names, adopted) = newValue }
    }

    /// How often the context has saved, and merged, since it has the stack.
    var saveCount = 0
    var mergeCount = 0
    /// Whether the context is taking back what is not to be undone itself.
    var isSuspended = false
    /// Whether delete rules are being followed, which no end of an event may interrupt.
    var isPropagating = false

    /// Whether what objects mention is being taken out of them so that it can be put back.
    var recordsMentions = false

    /// Of one event.
    struct Record {
        /// In the order of their first changes.
        var objects: [ManagedObject] = []
        /// How often the context had merged before the first of them.
        var mergeCount: Int?
        var origins: [ManagedObject: ObjectOrigin] = [:]
        /// Links that were added (true) or removed, all in all.
        var links: [LinkKey: Bool] = [:]
        var lists: [ListKey: ListOrigin] = [:]
        var clearedReferences: [ClearedReference] = []
        /// Whose deletion is not followed yet.
        var waiting: Set<LocalID> = []
        /// References that came to lead again to whom they did before any edit, by slot.
        var filled: [ManagedObject: Set<Int>] = [:]
        /// Members that pending deletions have taken out of what was removed.
        var clearedRemovals: [ListKey: Set<LocalID>] = [:]
        /// Who came back with an owner and was there without it, by the owner's relationship.
        var regainedParts: [ListKey: Set<LocalID>] = [:]
        /// Who leads to somebody who came back, because others had led him there meanwhile.
        var led: Set<ManagedObject> = []
        /// Of objects that have become records of others, what those were like.
        var adoptedValues: [ManagedObject: [PropertyValue]] = [:]
    }

    init(_ stack: UndoStack) { self.stack = stack }

    var isRecording: Bool { stack.isUndoRegistrationEnabled && !isSuspended }
    var hasChanges: Bool { !record.objects.isEmpty }

    /// An object is about to change, or was just inserted.
    func record(_ object: ManagedObject, in context: ManagedObjectContext) {
        guard isRecording, record.origins[object] == nil else { return }
        record.origins[object] = ObjectOrigin(of: object, in: context)
        record.objects.append(object)
        if record.mergeCount == nil { record.mergeCount = mergeCount }
    }

    /// A link was added or removed; both ends are noted.
    func recordLink(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ member: ManagedObject,
        isAdded: Bool
    ) {
        guard isRecording else { return }
        let key = LinkKey(owner, relationship, member)
        if let earlier = record.links[key], earlier != isAdded {
            record.links[key] = nil
        } else {
            record.links[key] = isAdded
        }
    }

    /// A relationship is about to change; of a list the order is read, if need be, and kept.
    func recordList(of owner: ManagedObject, at index: Int, in context: ManagedObjectContext) {
        guard isRecording, owner.home.plan.relations[index].isOrdered else { return }
        let key = ListKey(owner: owner, index: index)
        guard record.lists[key] == nil else { return }
        do {
            _ = try context.members(of: owner, at: index)
        } catch {
            return context.keep(error)
        }
        guard let list = owner.relations?.states[index].list else { return }
        record.lists[key] = ListOrigin(order: list.order, placed: list.placed)
    }

    func recordCleared(_ reference: ClearedReference) {
        if isRecording { record.clearedReferences.append(reference) }
    }

    /// Whether the event has deleted an object that was there before.
    func hasDeleted(_ object: ManagedObject) -> Bool {
        object.flags.contains(.deleted) && record.origins[object]?.existence == .present
    }

    func recordWaiting(_ objects: [ManagedObject]) {
        if isRecording { record.waiting.formUnion(objects.map(\.localID)) }
    }

    /// A reference that a deletion had emptied leads to who came back, and that is no change.
    func recordFilled(_ slot: Int, of object: ManagedObject) {
        if isRecording { record.filled[object, default: []].insert(slot) }
    }

    /// A deletion takes out of a relationship what was removed from it since the last save.
    func recordCleared(_ removed: Set<LocalID>, of owner: ManagedObject, at index: Int) {
        guard isRecording, !removed.isEmpty else { return }
        record.clearedRemovals[ListKey(owner: owner, index: index), default: []]
            .formUnion(removed)
    }

    /// Others have given an owner parts while its deletion was pending, and it is there again.
    func recordRegained(_ parts: Set<LocalID>, of owner: ManagedObject, at index: Int) {
        guard isRecording, !parts.isEmpty else { return }
        record.regainedParts[ListKey(owner: owner, index: index)] = parts
    }

    /// An object that others have changed leads to somebody who is there again.
    func recordRedirected(_ object: ManagedObject, in context: ManagedObjectContext) {
        guard isRecording else { return }
        record(object, in: context)
        record.led.insert(object)
    }

    /// Hands over what was recorded, and begins anew.
    func take() -> Record {
        defer { record = Record() }
        return record
    }

    func forgetAll() { record = Record() }

    func rename(_ names: [LocalID: LocalID]) {
        for (old, new) in names where current(new) != old { self.names[old] = new }
        adopted.formUnion(names.filter { adopted.contains($0.key) }.values)
    }

    /// An object of this context is the record of somebody else from now on.
    func recordReplacement(of id: LocalID) { adopted.insert(id) }

    /// A new object takes the place of another record's object: what the event has done to that
    /// record is done to the new object. What the new one gave up for it is no change.
    func recordReplacement(
        of other: ManagedObject, by object: ManagedObject, in context: ManagedObjectContext
    ) {
        recordReplacement(of: other.localID)
        guard isRecording else { return }
        record(other, in: context)
        let values = context.event.earlierValues[other] ?? Array(other.slots.buffer)
        record.replace(other, by: object, values)
    }

    func isAdopted(_ object: ManagedObject) -> Bool { adopted.contains(object.localID) }

    /// The ID that a record has now. No name leads back to one that led to it, so that this ends.
    func current(_ id: LocalID) -> LocalID {
        guard !names.isEmpty else { return id }
        var id = id
        while let newer = names[id] { id = newer }
        return id
    }

    /// By ID, the one that the record has now.
    var currentNames: [LocalID: LocalID] { names.mapValues { current($0) } }

    func current(_ value: PropertyValue, isReference: Bool) -> PropertyValue {
        guard isReference, case .integer(let id) = value else { return value }
        return .integer(current(id))
    }
}
