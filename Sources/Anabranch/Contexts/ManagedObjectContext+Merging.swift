import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Takes over changes that were saved elsewhere, told by IDs alone.
    ///
    /// Registered objects with values are read again, in one read for each entity, and keep what
    /// was changed here; deleted ones leave the context. What is not registered costs nothing.
    ///
    /// - Throws: ``PropertyError`` with code `foreignObject` where the IDs are of another store.
    public func mergeChanges(from changes: ObjectIDChanges) throws {
        checkQueue()
        let lists = [changes.inserted, changes.updated, changes.refreshed, changes.deleted]
        guard lists.allSatisfy({ $0.belongs(to: coordinator.origin) }) else {
            throw PropertyError(
                .foreignObject, "Can't merge changes because they are of another store.")
        }
        var records: [Int: ChangedRecords.Entity] = [:]
        func change(_ list: ObjectIDList, _ body: (inout ChangedRecords.Entity, LocalID) -> Void) {
            for id in list {
                let entity = id.entity
                body(&records[entity.index, default: .init(entity)], id.localID)
            }
        }
        change(changes.inserted) { $0.inserted.append($1) }
        for list in [changes.updated, changes.refreshed] {
            change(list) { entity, id in
                if entity.updated.isEmpty {
                    let slots = SlotSet(entity.entity.slots.indices)
                    entity.updated = [.init(ids: [], slots: slots)]
                }
                entity.updated[0].ids.append(id)
            }
        }
        change(changes.deleted) { $0.deleted.append($1) }
        merge(
            ChangedRecords(entities: records.values.sorted { $0.entity.index < $1.entity.index }),
            author: changes.author)
    }

    /// Refreshes what is registered, by IDs.
    func merge(_ changes: ChangedRecords, author: String = "") {
        checkQueue()
        guard !changes.isEmpty else { return }
        releaseUnused()
        let renamed = rename(changes.renamed)
        if !followers.isEmpty { event.merged += changes.entities }
        removeDeleted(changes)
        unloadRelations(concernedBy: changes)
        do {
            for entity in changes.entities { try rereadUpdated(entity) }
        } catch {
            keep(error)
        }
        processPendingChanges()
        var merged = objectIDChanges(changes)
        merged.author = author
        merged.renamed = renamed
        merged.refreshed = merged.updated
        post(.didMerge, merged)
    }

    private func removeDeleted(_ changes: ChangedRecords) {
        var gone: Set<LocalID> = []
        for entity in changes.entities where !entity.deleted.isEmpty {
            gone.formUnion(entity.deleted)
        }
        forget(gone)
    }

    /// Records that somebody else has deleted leave the context, with every mention of them.
    func forget(_ gone: Set<LocalID>) {
        guard !gone.isEmpty else { return }
        for id in gone { if let object = registry[id] { vanish(object) } }
        for object in registry.values where clearReferences(of: object, to: gone) {
            event.refreshed.append(object)
        }
    }

    /// One SELECT, whose rows are the registered ones; the unsaved edits stay.
    private func rereadUpdated(_ changes: ChangedRecords.Entity) throws {
        let registered = (changes.updated.flatMap(\.ids) + changes.inserted).filter {
            guard let object = registry[$0] else { return false }
            return object.flags.contains(.hasRow) && !object.flags.contains(.inserted)
        }
        guard !registered.isEmpty else { return }
        try coordinator.store.read { reader in
            try reader.rows(of: changes.entity, ids: registered.sorted()) { row in
                guard let object = registry[row.id] else { return }
                merge(row, into: object)
                event.refreshed.append(object)
            }
        }
    }

    /// Who is at the other end of a relationship may have changed with a reference or a link of
    /// the other end, so it is asked for anew when it is next needed.
    private func unloadRelations(concernedBy changes: ChangedRecords) {
        var concerned: Set<RelationshipDescription> = []
        for entity in changes.entities {
            let isWhole = !entity.inserted.isEmpty
            let slots = entity.updated.reduce(into: SlotSet()) { $0.formUnion($1.slots) }
            for relationship in entity.entity.relationships
            where isWhole || slots.contains(relationship.slot) {
                concerned.insert(relationship)
                if let inverse = relationship.inverse { concerned.insert(inverse) }
            }
        }
        guard !concerned.isEmpty else { return }
        for object in registry.values {
            guard let table = object.relations else { continue }
            for (index, relationship) in object.home.plan.relations.enumerated()
            where table.states[index].members != nil && concerned.contains(relationship)
                && !object.flags.contains(.inserted)
            {
                table.states[index].members = nil
                if !object.hasChanges { event.unloaded.append(object) }
            }
        }
    }

    func objectIDChanges(_ records: ChangedRecords) -> ObjectIDChanges {
        let origin = coordinator.origin
        func list(_ ids: (ChangedRecords.Entity) -> some Sequence<LocalID>) -> ObjectIDList {
            ObjectIDList(
                origin,
                records.entities.flatMap { entity in
                    let index = Int32(truncatingIfNeeded: entity.entity.index)
                    return ids(entity).map { ObjectIDList.Item(id: $0, entityIndex: index) }
                })
        }
        var changes = ObjectIDChanges(origin: origin)
        changes.inserted = list(\.inserted)
        changes.updated = list(\.updatedIDs)
        changes.deleted = list(\.deleted)
        return changes
    }
}
