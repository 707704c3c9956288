import AnabranchModel
import AnabranchReplication
import AnabranchStore

// The store computes derived attributes from its rows, and objects get them by reading: after a
// save the saved objects, and the objects with derived values that depend on them.
extension ManagedObjectContext {
    /// Gives registered objects the derived values that a save has changed. If the store can't be
    /// read, the next save throws the error.
    ///
    /// - Parameter records: The records that this context has saved.
    /// - Returns: The same records, and those of which only derived values have changed.
    func refreshDerived(after records: ChangedRecords) -> ChangedRecords {
        guard coordinator.plans.haveDerivations else { return records }
        do {
            return try notifyingObserversAfterwards {
                try coordinator.store.read { reader in
                    let all = try reader.withDerived(records)
                    for entity in all.entities { try takeDerived(entity, after: records, reader) }
                    return all
                }
            }
        } catch {
            keep(error)
            return records
        }
    }

    private func takeDerived(
        _ changes: ChangedRecords.Entity, after records: ChangedRecords, _ reader: StoreReader
    ) throws {
        let derived = coordinator.plans.plans[changes.entity.index].derivedSlots
        let slots = SlotSet(derived)
        let updates = changes.updated.filter { $0.slots.intersects(slots) }
        let ids = changes.inserted + updates.flatMap(\.ids)
        guard !derived.isEmpty, !ids.isEmpty else { return }
        let own = Set(
            records.entities.filter { $0.entity == changes.entity }
                .flatMap { $0.inserted + $0.updated.flatMap(\.ids) })
        var same: Set<LocalID> = []
        let known = ids.filter { held($0)?.flags.contains(.hasRow) == true }.sorted()
        try reader.rows(of: changes.entity, ids: known) { row in
            guard let object = held(row.id) else { return }
            if !object.takeDerived(from: row.slots, derived, in: self) {
                same.insert(row.id)
            } else if !own.contains(row.id) {
                event.refreshed.append(object)
            }
        }
        let changed = ids.filter { !same.contains($0) }
        guard !followers.isEmpty, !changed.isEmpty else { return }
        var told = ChangedRecords.Entity(changes.entity)
        told.updated = [.init(ids: changed, slots: slots)]
        event.merged.append(told)
    }
}

extension ManagedObject {
    /// - Returns: True if a value differs from the object's former one.
    fileprivate final func takeDerived(
        from row: [PropertyValue], _ derived: [Int], in context: ManagedObjectContext
    ) -> Bool {
        var isChanged = false
        for slot in derived where slot < slots.count && slots[slot] != row[slot] {
            reportChange(slot)
            slots[slot] = row[slot]
            if !committed.isEmpty { committed[slot] = row[slot] }
            context.event.earlierValues[self]?[slot] = row[slot]
            isChanged = true
        }
        return isChanged
    }
}
