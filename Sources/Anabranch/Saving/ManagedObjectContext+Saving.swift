import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Writes everything that has changed, in one transaction and as one change set.
    ///
    /// With nothing changed it does nothing.
    ///
    /// - Throws: ``ValidationError`` with every failure; ``SaveConflictError`` where somebody else
    ///   has changed or deleted the same records since they were read; ``StoreError``; or what an
    ///   accessor since the last save could not throw. Nothing was written then, and every
    ///   change is still pending: mend it and save again, or roll back.
    public func save() throws {
        checkQueue()
        if let error = keptErrors.take() { throw error }
        guard hasChanges || !event.isEmpty else { return }
        try propagateDeletes()
        announceChanges()
        guard hasChanges else { return }
        try callWillSave()
        // The hooks set properties, too.
        if let error = keptErrors.take() { throw error }
        let pending = pending
        try validate(pending)
        var builder = SaveBuilder(author: transactionAuthor, name: name)
        for object in pending { builder.add(object) }
        let result = try write(builder.request)
        finish(builder, result)
    }

    private static let mostRounds = 1000

    /// Calls every changed object's hook; objects changed meanwhile get it again, until none is.
    private func callWillSave() throws {
        post(.willSave, nil)
        var round = pending
        for _ in 0..<Self.mostRounds {
            for object in round { object.willSave() }
            try propagateDeletes()
            round = event.touched.filter { !$0.flags.contains(.detached) }
            announceChanges()
            if round.isEmpty { return }
        }
        throw PropertyError(
            .endlessChanges,
            "Can't save because willSave changes objects without end; "
                + "let it change only what differs.", objectID: round.first?.objectID)
    }

    private func validate(_ pending: [ManagedObject]) throws {
        var validator = SaveValidator()
        for object in pending {
            try validator.check(object, in: self)
        }
        if let error = ValidationError(validator.failures) { throw error }
    }

    private func write(_ request: SaveRequest) throws -> SaveResult {
        do {
            return try coordinator.store.save(request)
        } catch let error as StoreError
            where [.mergeConflict, .constraintConflict].contains(error.code)
        {
            let objects = error.records.compactMap { registry[$0] }
            let deleted = error.code == .mergeConflict ? try gone(among: objects) : []
            throw SaveConflictError(
                objects.map(\.objectID), deleted: Set(deleted.map(\.objectID)),
                underlying: error)
        }
    }

    /// The changes are written: objects, identities and observers follow.
    private func finish(_ builder: SaveBuilder, _ result: SaveResult) {
        let renamed = rename(result.renamed)
        let records = changedRecords(builder, result)
        for object in builder.inserted { object.version = result.version }
        for objects in builder.updated {
            for object in objects { object.version = result.version }
        }
        let updated = builder.updated.flatMap { $0 } + builder.untouched
        let saved = builder.inserted + updated
        settle(saved, builder.deleted)
        for object in saved { object.didSave() }
        for object in builder.deleted { object.didSave() }
        var changes = objectIDChanges(records)
        changes.renamed = renamed
        changes.author = transactionAuthor
        if result.dot != nil {
            changes.position = HistoryPosition(rawValue: result.version.position)
        }
        changes.updated = ObjectIDList(coordinator.origin, updated.map(\.listItem))
        post(.didSave, changes)
        if result.dot != nil { coordinator.didSave(records, from: link) }
    }

    private func settle(_ saved: [ManagedObject], _ deleted: [ManagedObject]) {
        for object in deleted {
            detach(object)
            object.flags.subtract([.deleted, .listed])
        }
        for object in saved {
            object.committed = SlotStorage()
            object.writtenSlots = 0
            object.flags.subtract(
                [.inserted, .updated, .listed, .noted, .writable, .born, .refault])
            if let table = object.relations {
                for index in table.states.indices { table.states[index].commit() }
            }
        }
        for object in changed { object.flags.remove(.listed) }
        changed = []
        counts = ChangeCounts()
        deletedIDs = []
        // Objects that didSave changes begin another event, and another save.
        for object in event.touched { object.flags.subtract([.noted, .writable, .born]) }
        event.touched = []
    }

    private func changedRecords(
        _ builder: SaveBuilder, _ result: SaveResult
    ) -> ChangedRecords {
        var changes: [Int: ChangedRecords.Entity] = [:]
        func change(
            _ entity: EntityDescription, _ body: (inout ChangedRecords.Entity) -> Void
        ) {
            body(&changes[entity.index, default: ChangedRecords.Entity(entity)])
        }
        for group in builder.request.inserts {
            change(group.entity) {
                $0.inserted = group.rows.ids.map { result.renamed[$0] ?? $0 }
            }
        }
        for (update, objects) in zip(builder.request.updates, builder.updated) {
            let slots = Set(update.rows.slots)
            change(update.entity) {
                $0.updated += objects.map { object in
                    let relations = object.changedRelationSlots
                    return .init(
                        id: object.localID,
                        slots: relations.isEmpty ? slots : slots.union(relations))
                }
            }
        }
        for object in builder.untouched {
            let slots = object.changedRelationSlots
            guard !slots.isEmpty else { continue }
            change(object.entity) { $0.updated.append(.init(id: object.localID, slots: slots)) }
        }
        for group in builder.request.deletes {
            change(group.entity) { $0.deleted = group.rows.map(\.id) }
        }
        return ChangedRecords(entities: changes.values.sorted { $0.entity.index < $1.entity.index })
    }

    /// Follows new IDs of inserted objects, wherever they are mentioned.
    private func rename(
        _ names: [LocalID: LocalID]
    ) -> [ManagedObjectID: ManagedObjectID] {
        guard !names.isEmpty else { return [:] }
        discardNumbers()
        var renamed: [ManagedObjectID: ManagedObjectID] = [:]
        for (old, new) in names {
            guard let object = registry[old] else { continue }
            let before = object.objectID
            registry.remove(old)
            object.localID = new
            registry.insert(object, for: new)
            renamed[before] = object.objectID
        }
        for object in registry.values {
            for relationship in object.home.plan.references
            where object.flags.contains(.hasRow) {
                if case .integer(let id) = object.slots[relationship.slot], let new = names[id] {
                    object.slots[relationship.slot] = .integer(new)
                }
            }
            guard let table = object.relations else { continue }
            for index in table.states.indices { table.states[index].rename(names) }
        }
        return renamed
    }
}

extension ManagedObject {
    final var changedRelationSlots: Set<Int> {
        guard let relations else { return [] }
        return Set(
            home.plan.relations.indices.filter { relations.changes(at: $0) }
                .map { home.plan.relations[$0].slot })
    }
}
