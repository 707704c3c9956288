import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Groups a context's changes into one request of the store, and returns the results to the
/// objects.
struct SaveBuilder {
    private(set) var request: SaveRequest
    /// All added objects; the lists below contain these.
    private let pending: [ManagedObject]
    private(set) var inserted = UnmanagedObjects()
    private(set) var deleted = UnmanagedObjects()
    /// The updated objects, parallel to the request's updates and their rows.
    private(set) var updated: [UnmanagedObjects] = []
    /// Objects that count as changed although no slot of theirs is written.
    private(set) var untouched = UnmanagedObjects()
    /// The changed to-many relationships of updated and untouched objects.
    private var changedRelations: [LocalID: SlotSet] = [:]
    private var updateGroups: [UpdateShape: Int] = [:]
    /// Slots that must be written again: for an object with another place in a list, the slots of
    /// its references to the list's owner; for an object with an attribute group that was set as a
    /// whole, the slots of the group.
    private var movedSlots: [LocalID: Set<Int>] = [:]
    private var lastUpdate: (shape: UpdateShape, group: Int)?

    private struct UpdateShape: Hashable {
        let entity: Int
        let slots: SlotSet
    }

    /// The number of all added objects.
    var count: Int { pending.count }

    /// - Parameter pending: The objects; `addAll()` adds them.
    init(
        _ pending: [ManagedObject], author: String, name: String,
        carriedGroups: [ManagedObject: [WireProperty: GroupValue]]
    ) {
        self.pending = pending
        request = SaveRequest(author: author, name: name)
        for (object, groups) in carriedGroups where !object.flags.contains(.deleted) {
            request.carriedGroups[object.localID] = groups
            for group in object.home.plan.groups where groups[group.property] != nil {
                movedSlots[object.localID, default: []].formUnion(group.slots)
            }
        }
    }

    /// Tells the store which stored values the authors of the edits have not seen.
    ///
    /// - Parameter isRefusing: True if such a value or link is a conflict.
    mutating func addSeenVersions(_ edits: OverlaidEdits, isRefusing: Bool) {
        request.refusesUnseenValues = isRefusing
        guard !edits.isEmpty else { return }
        for object in pending {
            let versions = edits.seenVersions(of: object)
            if !versions.isEmpty { request.seenVersions[object.localID] = versions }
        }
    }

    /// Marks slots of objects that will be added to be written, whatever the store has in them.
    mutating func rewrite(_ slots: [ManagedObject: Set<Int>]) {
        for (object, slots) in slots where !object.flags.contains(.inserted) {
            movedSlots[object.localID, default: []].formUnion(slots)
        }
    }

    /// Adds objects that must not have changed since they were read, after all others.
    mutating func addChecks(of objects: Set<ManagedObject>) {
        let written = Set(request.updates.flatMap(\.rows.ids))
        let checked = objects.filter {
            $0.flags.contains(.hasRow) && !written.contains($0.localID)
                && $0.flags.isDisjoint(with: [.inserted, .deleted, .detached])
        }
        for (entity, group) in Dictionary(grouping: checked, by: \.entity) {
            request.checks.append(
                .init(entity: entity, rows: group.map { ($0.localID, $0.version) }))
        }
    }

    /// Adds the ordered relationships of all objects that will be added. They come first, because
    /// they also write the elements of a list.
    mutating func addLists() {
        for object in pending where !object.flags.contains(.deleted) { addLists(of: object) }
    }

    private mutating func addLists(of owner: ManagedObject) {
        for list in owner.listChanges(isTransient: false) {
            request.lists.append(list)
            guard list.relationship.storage == .inverseReference,
                let slot = list.relationship.inverse?.slot
            else { continue }
            for id in list.placed { movedSlots[id, default: []].insert(slot) }
        }
    }

    mutating func addAll() {
        for object in pending { add(object) }
    }

    private mutating func add(_ object: ManagedObject) {
        let flags = object.flags
        if flags.contains(.deleted) {
            addDeletion(of: object)
        } else if flags.contains(.inserted) {
            addInsertion(of: object)
            request.links += object.linkChanges(isTransient: false)
        } else if flags.contains(.updated) {
            addUpdate(of: object)
            request.links += object.linkChanges(isTransient: false)
        }
    }

    /// Calls a closure with each inserted and updated object, then with each deleted one.
    ///
    /// The updated objects include those that count as changed although no slot is written.
    func forEachObject(_ body: (ManagedObject) -> Void) {
        inserted.forEach(body)
        for group in updated { group.forEach(body) }
        untouched.forEach(body)
        deleted.forEach(body)
    }

    /// The objects in the order of `forEachObject(_:)`.
    var objects: [ManagedObject] {
        var objects: [ManagedObject] = []
        forEachObject { objects.append($0) }
        return objects
    }

    /// Returns the changes that other contexts have to read.
    func changedRecords(_ renamed: [LocalID: LocalID]) -> ChangedRecords {
        var changes: [ChangedRecords.Entity] = []
        func change(_ entity: EntityDescription, _ body: (inout ChangedRecords.Entity) -> Void) {
            body(&changes[changes.index(of: entity, by: \.entity) { .init($0) }])
        }
        for insert in request.inserts {
            let ids = insert.rows.ids
            change(insert.entity) {
                $0.inserted = renamed.isEmpty ? ids : ids.map { renamed[$0] ?? $0 }
            }
        }
        for update in request.updates {
            let changed = changed(by: update)
            change(update.entity) { $0.updated += changed }
        }
        untouched.forEach { object in
            guard let slots = changedRelations[object.localID] else { return }
            change(object.entity) { $0.updated.append(.init(ids: [object.localID], slots: slots)) }
        }
        for delete in request.deletes {
            change(delete.entity) { $0.deleted = delete.rows.map(\.id) }
        }
        if changes.count > 1 { changes.sort { $0.entity.index < $1.entity.index } }
        return ChangedRecords(entities: changes)
    }

    private func changed(by update: SaveRequest.Update) -> [ChangedRecords.Update] {
        let slots = SlotSet(update.rows.slots)
        guard !changedRelations.isEmpty else { return [.init(ids: update.rows.ids, slots: slots)] }
        let groups = Dictionary(grouping: update.rows.ids) { id in
            changedRelations[id].map(slots.union) ?? slots
        }
        return groups.sorted { $0.key < $1.key }.map { .init(ids: $1, slots: $0) }
    }

    /// The objects of which nothing was written, and which other contexts need not read.
    var unchanged: [ManagedObject] {
        untouched.all.filter { changedRelations[$0.localID] == nil }
    }

    private mutating func addInsertion(of object: ManagedObject) {
        let index = request.inserts.index(of: object.home.plan.entity, by: \.entity) {
            SaveRequest.Insert(entity: $0, slots: object.home.plan.storedSlots)
        }
        request.inserts[index].rows.append(object.localID, object.slots.buffer)
        inserted.append(object)
    }

    private mutating func addDeletion(of object: ManagedObject) {
        let index = request.deletes.index(of: object.entity, by: \.entity) {
            SaveRequest.Records(entity: $0, rows: [])
        }
        request.deletes[index].rows.append((object.localID, object.version))
        let seenLinks = object.seenLinks
        if !seenLinks.isEmpty { request.seenLinks[object.localID] = seenLinks }
        deleted.append(object)
    }

    private mutating func addUpdate(of object: ManagedObject) {
        let moved = movedSlots.isEmpty ? nil : movedSlots[object.localID]
        let slots = SlotSet(changedIn: object, and: moved)
        let relations = SlotSet(changedRelationsOf: object)
        if !relations.isEmpty { changedRelations[object.localID] = relations }
        guard !slots.isEmpty else { return untouched.append(object) }
        let shape = UpdateShape(entity: object.entity.index, slots: slots)
        let group = group(of: shape, object.entity)
        request.updates[group].append(object.localID, object.version, object.slots.buffer)
        updated[group].append(object)
    }

    /// Returns the group of updates of one shape. Most saves write the same shape many times.
    private mutating func group(of shape: UpdateShape, _ entity: EntityDescription) -> Int {
        if let lastUpdate {
            if lastUpdate.shape == shape { return lastUpdate.group }
            updateGroups[lastUpdate.shape] = lastUpdate.group
        }
        let group = updateGroups[shape] ?? request.updates.count
        if group == request.updates.count {
            request.updates.append(.init(entity: entity, slots: shape.slots.slots))
            updated.append(UnmanagedObjects())
        }
        lastUpdate = (shape, group)
        return group
    }
}

extension Array {
    /// The index of the element of an entity, which is added if there is none. Mostly it is the
    /// last one.
    fileprivate mutating func index(
        of entity: EntityDescription, by key: (Element) -> EntityDescription,
        adding make: (EntityDescription) -> Element
    ) -> Int {
        if let index = lastIndex(where: { key($0) === entity }) { return index }
        append(make(entity))
        return count - 1
    }
}

extension SlotSet {
    /// - Parameter moved: Slots that are written again although their values may not have changed.
    fileprivate init(changedIn object: ManagedObject, and moved: Set<Int>?) {
        guard !object.committed.isEmpty else {
            self.init()
            return
        }
        var slots = SlotSet()
        object.forEachWrittenSlot { slot in
            if object.home.plan.isStored[slot], object.isChangedSinceCommit(slot) {
                slots.insert(slot)
            }
        }
        for slot in moved ?? [] { slots.insert(slot) }
        self = slots
    }

    /// Creates the set of changed stored relationships without a slot value.
    fileprivate init(changedRelationsOf object: ManagedObject) {
        self.init()
        guard let relations = object.relations else { return }
        for (index, relationship) in object.home.plan.relations.enumerated()
        where !relationship.isTransient && relations.changes(at: index) {
            insert(relationship.slot)
        }
    }
}
