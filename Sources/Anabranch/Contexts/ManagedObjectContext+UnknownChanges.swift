import AnabranchModel
import AnabranchStore

// Changes of which the store can't say which records they concern.
extension ManagedObjectContext {
    /// Adds the registered objects to changes of unknown extent: those that the store shows
    /// otherwise, and those that it does not have any more.
    ///
    /// If the store can't be read, the error is kept for the next save, and the changes stay as
    /// they are.
    func withRegistered(_ changes: ChangedRecords) -> ChangedRecords {
        releaseUnused()
        let named = Set(
            changes.entities.flatMap { $0.inserted + $0.deleted + Array($0.updatedIDs) })
        let objects = registry.values.filter {
            $0.flags.contains(.hasRow) && !$0.flags.contains(.inserted)
                && !named.contains($0.localID)
        }
        var all = changes
        do {
            for (entity, group) in Dictionary(grouping: objects, by: \.entity) {
                try all.add(difference(of: group, entity))
            }
        } catch {
            keep(error)
        }
        return all
    }

    /// Compares registered objects of one entity with their rows.
    private func difference(
        of objects: [ManagedObject], _ entity: EntityDescription
    ) throws -> ChangedRecords.Entity {
        var gone = Set(objects.map(\.localID))
        var updated: [LocalID] = []
        try readRows(of: entity, ids: gone.sorted()) { row in
            gone.remove(row.id)
            if let object = held(row.id), object.differs(from: row) { updated.append(row.id) }
        }
        var difference = ChangedRecords.Entity(entity)
        difference.deleted = gone.sorted()
        if !updated.isEmpty {
            difference.updated = [.init(ids: updated, slots: SlotSet(entity.slots.indices))]
        }
        return difference
    }
}

extension ManagedObject {
    /// True if a row differs from the one that the object was read from.
    fileprivate final func differs(from row: ObjectRow) -> Bool {
        guard version == row.version else { return true }
        let stored = SlotStorage(row)
        let isRead = home.plan.isRead
        let hasEdits = !committed.isEmpty
        return isRead.indices.contains { slot in
            isRead[slot] && stored[slot] != (hasEdits ? committed[slot] : slots[slot])
        }
    }
}

extension ChangedRecords {
    /// Adds changes of records that are not named yet.
    fileprivate mutating func add(_ changes: Entity) {
        guard let place = entities.firstIndex(where: { $0.entity === changes.entity }) else {
            entities.append(changes)
            return
        }
        entities[place].updated += changes.updated
        entities[place].deleted += changes.deleted
    }
}
