import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What deleting objects does to others. Deletions are followed in waves: those that a wave
// cascades to are the next one, and a wave reads each relationship of all its objects at once.
extension ManagedObjectContext {
    /// - Throws: ``StoreError``; the deletions not followed yet are followed by the next call.
    ///   ``PropertyError`` with code `endlessChanges`.
    func propagateDeletes() throws {
        guard !unpropagated.isEmpty || !deletedIDs.isEmpty else { return }
        recorder?.isPropagating = true
        defer { recorder?.isPropagating = false }
        for _ in 0..<Self.maximumRounds {
            let count = rollbackCount
            try followDeletions()
            // A hook that has taken everything back may have deleted something else.
            if count == rollbackCount { return }
        }
        throw PropertyError(
            .endlessChanges,
            "Can't delete because prepareForDeletion rolls back and deletes in every round; let "
                + "it do only one of these.")
    }

    /// Follows what there is, until a hook rolls back or resets: then nothing of it is deleted.
    private func followDeletions() throws {
        let count = rollbackCount
        var gone: Set<LocalID> = []
        var objects: [ManagedObject] = []
        let hasEarlier = !deletedIDs.isEmpty
        var isFollowed = false
        var reading = CascadeReading()
        // A wave that could not be read leaves those before it to be followed again.
        defer {
            if !isFollowed, count == rollbackCount { unpropagated = objects + unpropagated }
        }
        while !unpropagated.isEmpty {
            reading.beginWave()
            try loadRows(of: unpropagated.filter { $0.flags.contains(.deleted) })
            let wave = unpropagated.filter { $0.flags.contains(.deleted) }
            if let recorder, recorder.isRecording {
                try loadRelations(of: wave)
                try recordLists(with: wave, recorder)
            }
            for relationship in relationships(of: wave) where needsMembers(relationship) {
                let owners = wave.filter { $0.entity.isKind(of: relationship.entity) }
                if relationship.deleteRule == .cascade {
                    try reading.read(relationship, of: owners, in: self)
                }
                try follow(relationship, of: owners)
                guard count == rollbackCount else { return }
            }
            gone.formUnion(wave.map(\.localID))
            objects += wave
            unpropagated.removeAll {
                gone.contains($0.localID) || !$0.flags.contains(.deleted)
            }
        }
        isFollowed = true
        // A hook may have taken single deletions back.
        objects = objects.filter { $0.flags.contains(.deleted) }
        gone = Set(objects.map(\.localID))
        deletedIDs.formUnion(
            objects.lazy.filter { !$0.flags.contains(.inserted) }.map(\.localID))
        if !gone.isEmpty {
            let groups = Dictionary(grouping: objects, by: \.entity).mapValues {
                $0.map(\.localID)
            }
            recorder?.recordsMentions = true
            defer { recorder?.recordsMentions = false }
            // A refresh may bring back one end of what was removed, and an undo the other.
            for object in objects { recordRemovals(of: deletedIDs, in: object) }
            for object in clearMentions(of: groups, and: deletedIDs) { touch(object) }
            dropUnsavedDeletions(among: objects)
        }
        // Somebody may have been related since to what was deleted before.
        if hasEarlier {
            for object in event.touched { clearReferences(of: object, to: deletedIDs) }
        }
    }

    private func relationships(of wave: [ManagedObject]) -> [RelationshipDescription] {
        var seen: Set<RelationshipDescription> = []
        return wave.lazy.map(\.home.plan).reduce(into: [EntityPlan]()) { plans, plan in
            if plans.last !== plan { plans.append(plan) }
        }.flatMap(\.entity.relationships).filter { seen.insert($0).inserted }
    }

    /// Whether the objects at the other end have to be known. Nullifying what the context has not
    /// registered needs nothing, a reference to a record that is gone reads nil, unless the save
    /// has to see that they miss it.
    private func needsMembers(_ relationship: RelationshipDescription) -> Bool {
        switch relationship.deleteRule {
        case .cascade, .deny: true
        case .nullify:
            relationship.inverse.map {
                !$0.isOptional || $0.minCount > 0 || !$0.declaration.validations.isEmpty
            } ?? false
        case .noAction: false
        }
    }

    private func follow(
        _ relationship: RelationshipDescription, of wave: [ManagedObject]
    ) throws {
        // A mandatory reference is checked by the save at the object that has it.
        if relationship.deleteRule == .deny { return try loadMissing(relationship, of: wave) }
        let others = try relatedObjects(of: wave, by: relationship)
        guard relationship.deleteRule == .cascade else { return others.forEach(touch) }
        let count = rollbackCount
        for object in others where !object.flags.contains(.deleted) {
            delete(object)
            if count != rollbackCount { return }
        }
    }

    /// Who was related to an object has to be known where its deletion may be undone.
    private func loadRelations(of wave: [ManagedObject]) throws {
        for relationship in relationships(of: wave) where relationship.storage != .reference {
            try loadMissing(
                relationship, of: wave.filter { $0.entity.isKind(of: relationship.entity) })
        }
    }

    /// The save takes those out of lists whose deletion it is the first to follow, in an event of
    /// its own; in this one they are deleted.
    func recordListsOfWaiting(_ recorder: ChangeRecorder) {
        let objects = unpropagated.filter { recorder.hasDeleted($0) }
        guard !objects.isEmpty else { return }
        do {
            try loadRelations(of: objects)
            try recordLists(with: objects, recorder)
            recorder.recordWaiting(objects)
        } catch {
            keep(error)
        }
    }

    /// Where an object stands in the lists of others, only they know.
    private func recordLists(with wave: [ManagedObject], _ recorder: ChangeRecorder) throws {
        for relationship in relationships(of: wave) {
            guard let inverse = relationship.inverse, inverse.isOrdered else { continue }
            var ids: Set<LocalID> = []
            for object in wave where object.entity.isKind(of: relationship.entity) {
                if let index = object.home.plan.relationIndex(of: relationship) {
                    ids.formUnion(object.relations?.states[index].members ?? [])
                } else if case .integer(let id) = object.slots[relationship.slot] {
                    ids.insert(id)
                }
            }
            for owner in try objects(ids, of: relationship.destination) {
                guard let index = owner.home.plan.relationIndex(of: inverse) else { continue }
                recorder.record(owner, in: self)
                recorder.recordList(of: owner, at: index, in: self)
            }
        }
    }

    /// Brings the rows of faults; those that are gone leave the context. Those whose records are
    /// of another entity do, too, and are deleted no more.
    private func loadRows(of objects: [ManagedObject]) throws {
        let faults = objects.filter { $0.flags.isDisjoint(with: [.hasRow, .inserted]) }
        for (entity, group) in Dictionary(grouping: faults, by: \.entity) {
            try readRows(of: entity, ids: group.map(\.localID).sorted()) { row in
                if let object = registry[row.id], object.fits(row) { adopt(row, by: object) }
            }
            let missing = group.filter { !$0.flags.contains(.hasRow) }
            for object in try dismissImpostors(among: missing) { vanish(object) }
        }
    }

    /// An object that was never saved is gone at once.
    private func dropUnsavedDeletions(among objects: [ManagedObject]) {
        for object in objects where object.flags.isSuperset(of: [.inserted, .deleted]) {
            // Otherwise observers have been told of the deletion already.
            let isNews = object.flags.contains(.recordedInEvent)
            detach(object)
            object.flags.subtract(.deleted)
            if isNews { event.vanished.append(object) }
        }
    }

    /// As ``clearReferences(of:to:)``, so that it can be undone.
    func takeOut(_ gone: Set<LocalID>, of object: ManagedObject) -> Bool {
        if let recorder, recorder.isRecording, object.mentions(gone),
            object.flags.isDisjoint(with: [.deleted, .detached])
        {
            savePoint?.capture(object)
            recorder.record(object, in: self)
            if object.flags.contains(.hasRow) { keepEarlierValues(of: object) }
            recordMentions(of: gone, in: object, recorder)
        }
        return clearReferences(of: object, to: gone)
    }

    private func recordMentions(
        of gone: Set<LocalID>, in object: ManagedObject, _ recorder: ChangeRecorder
    ) {
        let plan = object.home.plan
        for relationship in plan.references where object.flags.contains(.hasRow) {
            let slot = relationship.slot
            guard case .integer(let id) = object.slots[slot], gone.contains(id) else { continue }
            let committed: LocalID? =
                if case .integer(let id) = object.committedValue(slot) { id } else { nil }
            recorder.recordCleared(
                ClearedReference(object: object, slot: slot, id: id, committed: committed))
        }
        recordRemovals(of: gone, in: object)
        guard let table = object.relations else { return }
        for index in table.states.indices where table.states[index].mentions(gone) {
            recorder.recordList(of: object, at: index, in: self)
            // With an inverse the other end knows.
            guard plan.relations[index].inverse == nil else { continue }
            for id in gone where table.states[index].members?.contains(id) ?? false {
                guard let member = held(id) else { continue }
                recorder.recordLink(object, plan.relations[index], member, isAdded: false)
            }
        }
    }

    private func recordRemovals(of gone: Set<LocalID>, in object: ManagedObject) {
        guard let recorder, let table = object.relations else { return }
        for index in table.states.indices where !table.states[index].removed.isEmpty {
            let removed = table.states[index].removed.intersection(gone)
            recorder.recordCleared(removed, of: object, at: index)
        }
    }

    /// Takes records that are gone out of an object's relationships.
    ///
    /// Nothing of this is saved: a reference to a deleted record reads nil everywhere.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func clearReferences(of object: ManagedObject, to gone: Set<LocalID>) -> Bool {
        guard object.flags.isDisjoint(with: [.deleted, .detached]) else { return false }
        if let savePoint, object.mentions(gone) { savePoint.capture(object) }
        var isChanged = false
        if object.flags.contains(.hasRow) {
            for relationship in object.home.plan.references
            where clear(relationship, of: object, to: gone) {
                isChanged = true
            }
        }
        if object.forgetRelated(gone) { isChanged = true }
        if isChanged, !gone.isDisjoint(with: deletedIDs) { recordIncomplete(object) }
        return isChanged
    }

    /// An object lacks what is deleted here: after a rollback it has to be read again.
    func recordIncomplete(_ object: ManagedObject) {
        guard !object.flags.contains(.refault) else { return }
        object.flags.formUnion(.refault)
        if refaultedIDs.count >= maximumRefaulted { sortRefaulted() }
        refaultedIDs.append(object.localID)
    }

    /// What was deleted here is gone elsewhere, too, and nobody lacks it any more. Whoever was led
    /// away from others may have been led away from what is gone.
    func forgetIncomplete() {
        guard savePoint == nil else { return }
        refaultedIDs = refaultedIDs.filter { id in
            guard let object = held(id) else { return false }
            if object.hasEditedReferences { return true }
            object.flags.subtract(.refault)
            return false
        }
    }

    /// Objects may have been noted and released, or refreshed, again and again.
    private func sortRefaulted() {
        var seen: Set<LocalID> = []
        refaultedIDs = refaultedIDs.filter { id in
            guard let object = held(id), object.flags.contains(.refault) else { return false }
            return seen.insert(id).inserted
        }
        maximumRefaulted = max(1024, refaultedIDs.count * 2)
    }

    private func clear(
        _ relationship: RelationshipDescription, of object: ManagedObject, to gone: Set<LocalID>
    ) -> Bool {
        let slot = relationship.slot
        // A deletion that the save may deny changes nothing yet.
        func leadsToGone(_ value: PropertyValue) -> Bool {
            value.leads(to: gone) && !(relationship.keepsTarget && value.leads(to: deletedIDs))
        }
        let wasChanged = object.isChangedSinceCommit(slot)
        let isCleared = leadsToGone(object.slots[slot])
        if isCleared {
            object.reportChange(slot)
            object.slots[slot] = .null
            object.recordWrite(slot)
        }
        guard !object.committed.isEmpty, leadsToGone(object.committed[slot]) else {
            return isCleared
        }
        // An edit that has led it away stays one: until the deletion is saved, or over what others
        // have set.
        let isPending = object.committed[slot].leads(to: deletedIDs)
        if wasChanged, isPending || !isCleared {
            // Where it led before must not be shown again.
            if !isPending { recordIncomplete(object) }
            return isCleared || !isPending
        }
        object.committed[slot] = .null
        return true
    }

    /// Records are gone, and what is newer was read: whoever was led away from them was led away
    /// from nobody.
    func settleReferences(of objects: [ManagedObject], to gone: Set<LocalID>) {
        for object in objects where !object.committed.isEmpty {
            for relationship in object.home.plan.references
            where object.committed[relationship.slot].leads(to: gone) {
                object.committed[relationship.slot] = .null
            }
        }
    }
}

extension ManagedObject {
    fileprivate final var hasEditedReferences: Bool {
        home.plan.references.contains { isChangedSinceCommit($0.slot) }
    }
}

extension PropertyValue {
    /// Of a reference.
    fileprivate func leads(to records: Set<LocalID>) -> Bool {
        if case .integer(let id) = self { records.contains(id) } else { false }
    }
}
