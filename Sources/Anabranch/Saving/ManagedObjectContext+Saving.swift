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
        let pending = try callWillSave()
        // The hooks set properties, too.
        if let error = keptErrors.take() { throw error }
        let builder = try build(pending)
        finish(builder, try write(builder.request))
    }

    private static let mostRounds = 1000

    /// Calls every changed object's hook; objects changed meanwhile get it again, until none is.
    ///
    /// - Returns: What is pending then.
    private func callWillSave() throws -> [ManagedObject] {
        post(.willSave, nil)
        var all = pending
        var round = all
        for _ in 0..<Self.mostRounds {
            for object in round { object.willSave() }
            try propagateDeletes()
            guard !event.isEmpty else { return all }
            round = event.touched.filter { !$0.flags.contains(.detached) }
            announceChanges()
            all = pending
            if round.isEmpty { return all }
        }
        throw PropertyError(
            .endlessChanges,
            "Can't save because willSave changes objects without end; "
                + "let it change only what differs.", objectID: round.first?.objectID)
    }

    /// - Throws: ``ValidationError`` with the failures of all objects.
    private func build(_ pending: [ManagedObject]) throws -> SaveBuilder {
        var validator = SaveValidator()
        var builder = SaveBuilder(
            author: transactionAuthor, name: name, carriedGroups: carriedGroups)
        if coordinator.plans.haveLists { builder.addLists(of: pending) }
        for object in pending {
            try validator.check(object, in: self)
            builder.add(object)
        }
        if let error = ValidationError(validator.failures) { throw error }
        return builder
    }

    private func write(_ request: SaveRequest) throws -> SaveResult {
        do {
            return try coordinator.store.save(request)
        } catch let error as StoreError where error.code == .cyclicReference {
            throw ValidationError(
                cyclic: error, error.records.first.flatMap { registry[$0] }?.objectID)
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
        let records = builder.changedRecords(result.renamed)
        settle(builder, result.version)
        for follower in followers.all { follower.contextDidSave() }
        if event.concernsRecords { announceChanges() }
        builder.forEachObject { $0.didSave() }
        var changes = objectIDChanges(records)
        changes.renamed = renamed
        changes.author = transactionAuthor
        if result.dot != nil {
            changes.position = HistoryPosition(rawValue: result.version.position)
        }
        changes.updated.append(builder.unchanged.map(\.listItem), of: coordinator.origin)
        post(.didSave, changes)
        guard result.dot != nil else { return }
        coordinator.didSave(records, from: link)
        guard !result.shown.isEmpty else { return }
        coordinator.didSave(result.shown, from: link)
        merge(result.shown, author: transactionAuthor)
    }

    private func settle(_ builder: SaveBuilder, _ version: RowVersion) {
        for object in builder.deleted {
            detach(object)
            object.flags.subtract([.deleted, .listed])
        }
        for object in builder.inserted { settle(object, version) }
        for group in builder.updated { for object in group { settle(object, version) } }
        for object in builder.untouched { settle(object, object.version) }
        // Those that have lost their changes since they were listed.
        if changed.count > builder.count {
            for object in changed { object.flags.subtract(.listed) }
        }
        changed = []
        counts = ChangeCounts()
        deletedIDs = []
        carriedGroups = [:]
        // Objects that didSave changes begin another event, and another save.
        for object in event.touched { object.flags.subtract([.noted, .writable, .born]) }
        event.touched = []
    }

    private func settle(_ object: ManagedObject, _ version: RowVersion) {
        object.version = version
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.flags.subtract([.inserted, .updated, .listed, .noted, .writable, .born, .refault])
        if let table = object.relations {
            for index in table.states.indices { table.states[index].commit() }
        }
    }
}
