import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Dispatch

extension ManagedObjectContext {
    /// Merges changes that another context or replica saved, given as object IDs.
    ///
    /// Registered objects with values are read again, in one read per entity, and keep their
    /// unsaved changes; deleted ones leave the context. Objects that are not registered cost
    /// nothing. Inserted objects are not created: ``objectsDidChange`` and
    /// ``didMergeChangesObjectIDs`` report their IDs.
    ///
    /// If ``ObjectIDChanges/renamed`` maps an object's ID to another one, the object adopts that
    /// ID. It keeps its unsaved changes, and references to it follow. If the context already uses
    /// an object with the new ID, or the entity differs, the object leaves the context instead.
    /// Its unsaved changes move to the object with the new ID, unless that has its own changes of
    /// the same properties.
    ///
    /// - Throws: ``PropertyError`` with code `foreignObject` if the IDs belong to another store.
    public func mergeChanges(from changes: ObjectIDChanges) throws {
        checkQueue()
        let lists = [changes.inserted, changes.updated, changes.refreshed, changes.deleted]
        guard lists.allSatisfy({ $0.belongs(to: coordinator.origin) }),
            changes.renamed.allSatisfy({ old, new in
                old.belongs(to: coordinator.origin) && new.belongs(to: coordinator.origin)
            })
        else {
            throw PropertyError(
                .foreignObject, "Can't merge changes because they belong to another store.")
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
        advanceGeneration()
        let told = ChangedRecords(
            entities: records.values.sorted { $0.entity.index < $1.entity.index })
        var all = try coordinator.withDerived(told)
        for (old, new) in changes.renamed { all.replaced[old.localID] = new.localID }
        merge(all, author: changes.author)
    }

    /// Refreshes what is registered, by IDs, and then the contexts below this one. A context that
    /// is pinned to an earlier state only follows where records have other names.
    ///
    /// - Parameter group: Of who waits for all of them.
    func merge(_ changes: ChangedRecords, author: String = "", in group: DispatchGroup? = nil) {
        checkQueue()
        guard !changes.isEmpty else { return }
        if !changes.renamed.isEmpty { advanceGeneration() }
        guard generation?.snapshot == nil else { return }
        storeStateNumber += 1
        let changes = changes.extent == .unknown ? withRegistered(changes) : changes
        let renamed = rename(changes.renamed).merging(follow(changes.replaced)) { $1 }
        recorder?.mergeCount += 1
        if !followers.isEmpty {
            event.merged += changes.entities
            event.extent = max(event.extent, changes.extent)
        }
        let mentioning = removeDeleted(changes)
        unloadRelations(concernedBy: changes)
        do {
            for entity in changes.entities { try rereadUpdated(entity) }
        } catch {
            keep(error)
        }
        if !mentioning.isEmpty {
            settleReferences(of: mentioning, to: Set(changes.entities.flatMap(\.deleted)))
        }
        for entity in changes.entities where !entity.inserted.isEmpty {
            event.insertedElsewhere.append(
                entity.inserted.map { $0.listItem(of: entity.entity) }, of: coordinator.origin)
        }
        processPendingChanges()
        post(.didMerge) {
            var merged = objectIDChanges(changes)
            merged.author = author
            merged.renamed = renamed
            merged.refreshed = merged.updated
            return merged
        }
        children.enqueue(in: group) { $0.mergeAutomatically(changes, author: author, in: group) }
    }

    /// Merges changes as ``merge(_:author:in:)`` does if the context follows by itself, or if
    /// records have got other IDs: what the context has read no longer exists under the old ones.
    func mergeAutomatically(
        _ changes: ChangedRecords, author: String = "", in group: DispatchGroup? = nil
    ) {
        guard automaticallyMergesChangesFromParent || !changes.renamed.isEmpty else { return }
        merge(changes, author: author, in: group)
    }

    /// - Returns: Those who have mentioned one.
    private func removeDeleted(_ changes: ChangedRecords) -> [ManagedObject] {
        var gone: [EntityDescription: [LocalID]] = [:]
        for entity in changes.entities where !entity.deleted.isEmpty {
            gone[entity.entity, default: []] += entity.deleted
        }
        return forget(gone)
    }

    /// Records that somebody else has deleted leave the context, with every mention of them; where
    /// an edit has led a reference away from one is for ``settleReferences(of:to:)``.
    ///
    /// - Returns: Those who have mentioned one.
    func forget(_ gone: [EntityDescription: [LocalID]]) -> [ManagedObject] {
        guard !gone.isEmpty else { return [] }
        let ids = Set(gone.values.joined())
        if !deletedIDs.isEmpty {
            deletedIDs.subtract(ids)
            if deletedIDs.isEmpty { forgetIncomplete() }
        }
        let cleared = clearMentions(of: gone)
        for object in ids.compactMap(held) { vanish(object) }
        recordWithoutTargets(cleared.filter { !$0.flags.contains(.detached) })
        recordGone(ids)
        return cleared
    }

    /// One SELECT, whose rows are the registered ones; the unsaved edits stay.
    private func rereadUpdated(_ changes: ChangedRecords.Entity) throws {
        let registered = (changes.updated.flatMap(\.ids) + changes.inserted).filter {
            guard let object = held($0) else { return false }
            return object.flags.contains(.hasRow) && !object.flags.contains(.inserted)
        }
        guard !registered.isEmpty else { return }
        var refreshed: [ManagedObject] = []
        try readRows(of: changes.entity, ids: registered.sorted()) { row in
            guard let object = held(row.id) else { return }
            merge(row, into: object)
            refreshed.append(object)
        }
        event.refreshed += refreshed
        awake(refreshed)
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
        if changes.extent == .unknown {
            concerned = Set(model.entities.flatMap(\.relationships))
        }
        guard !concerned.isEmpty else { return }
        event.unloaded += unload(concerned).filter { !$0.hasChanges }
    }

    /// Returns true if the members of a relationship are not asked for again: only the context has
    /// those of a transient one, and an undo of a deletion needs those that a deleted object had.
    /// The rule deny looks anew.
    func keepsMembers(
        _ object: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        relationship.isTransient
            || object.flags.contains(.deleted) && relationship.deleteRule != .deny
    }

    func objectIDChanges(_ records: ChangedRecords) -> ObjectIDChanges {
        let origin = coordinator.origin
        func list(_ ids: (ChangedRecords.Entity) -> some Sequence<LocalID>) -> ObjectIDList {
            ObjectIDList(
                origin,
                records.entities.flatMap { entity in
                    ids(entity).map { $0.listItem(of: entity.entity) }
                })
        }
        var changes = ObjectIDChanges(origin: origin)
        changes.inserted = list(\.inserted)
        changes.updated = list(\.updatedIDs)
        changes.deleted = list(\.deleted)
        return changes
    }
}
