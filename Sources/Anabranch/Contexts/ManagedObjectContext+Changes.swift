public import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// True if the context has unsaved changes. Setting a property to the value that it already
    /// has counts as a change.
    public var hasChanges: Bool { !counts.isEmpty }

    /// The objects that were inserted and are not saved yet.
    public var insertedObjects: Set<ManagedObject> { Set(pending.filter(\.isInserted)) }
    /// The objects that were changed since the last save, without inserted and deleted ones.
    public var updatedObjects: Set<ManagedObject> { Set(pending.filter(\.isUpdated)) }
    /// The saved objects with an unsaved deletion. An object that was inserted and deleted since
    /// the last save is in none of the three sets.
    public var deletedObjects: Set<ManagedObject> {
        Set(pending.filter { $0.isDeleted && !$0.flags.contains(.inserted) })
    }

    /// What a save has to look at, in the order of first changes.
    var pending: [ManagedObject] {
        func isPending(_ object: ManagedObject) -> Bool {
            !object.flags.contains(.detached) && object.hasChanges
        }
        return counts.total == changed.count ? changed : changed.filter(isPending)
    }

    /// Inserts a new object of a class, with the default values of its entity. Its ID is
    /// permanent.
    ///
    /// - Throws: ``PropertyError`` if the class represents no entity of the model, or an abstract
    ///   one; `StoreError` if no record numbers can be reserved in the store.
    public func insert<T: ManagedObject>(_ type: T.Type) throws -> T {
        if let home = lastInsertion, home.plan.type == type {
            return unsafeDowncast(try insert(at: home), to: T.self)
        }
        guard let entity = coordinator.plans.entity(of: type) else {
            throw PropertyError(
                .unknownEntity,
                "Can't insert \(type) because the container was not given that class; "
                    + "pass it to the container's initializer.")
        }
        try check(entity)
        let home = home(of: entity)
        // Sub-entities without a class of their own have the same class.
        lastInsertion = home
        return unsafeDowncast(try insert(at: home), to: T.self)
    }

    /// Inserts a new object of an entity by its name.
    ///
    /// - Throws: The errors of ``insert(_:)-(T.Type)``.
    public func insert(_ entityName: String) throws -> ManagedObject {
        try insert(entity(named: entityName))
    }

    /// Inserts a new object of an entity.
    ///
    /// - Throws: The errors of ``insert(_:)-(T.Type)``.
    public func insert(_ entity: EntityDescription) throws -> ManagedObject {
        try check(entity)
        return try insert(at: home(of: entity))
    }

    private func check(_ entity: EntityDescription) throws {
        guard !entity.isAbstract else {
            throw PropertyError(
                .abstractEntity,
                "Can't insert \(entity.name) because it is abstract; insert one "
                    + "of its sub-entities.", entity: entity.name)
        }
    }

    private func insert(at home: EntityHome) throws -> ManagedObject {
        checkQueue()
        releaseUnusedIfMany()
        let object = make(
            ObjectInitialization(
                home: home, id: try takeNumber(), values: .defaults,
                flags: home.plan.bornFlags))
        savePoint?.recordInsertion(of: object)
        reclassify(object) { $0.insert(.inserted) }
        recordChange(object)
        object.awakeFromInsert()
        return object
    }

    func entity(named name: String) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else {
            throw PropertyError(
                .unknownEntity,
                "Can't use entity '\(name)' because the model has none of that "
                    + "name; it has \(model.entities.map(\.name).joined(separator: ", ")).",
                entity: name)
        }
        return entity
    }

    /// Marks an object for deletion by the next save.
    ///
    /// The object's ``ManagedObject/prepareForDeletion()`` is called at once.
    /// ``processPendingChanges()`` and the save apply the delete rules of its relationships. An
    /// object that was never saved just leaves the context. Deleting a deleted object has no
    /// effect, and two objects that delete each other in `prepareForDeletion` are each deleted
    /// once. A `prepareForDeletion` that rolls back or resets the context cancels the deletion.
    ///
    /// An object of another context is not deleted: the next save throws a ``PropertyError`` with
    /// code `foreignObject`.
    ///
    /// - Parameter object: The object to delete.
    public func delete(_ object: ManagedObject) {
        checkQueue()
        guard object.home.context === self else { return keep(foreign(object, to: "delete")) }
        guard !object.flags.contains(.detached), !beingDeleted.contains(object) else { return }
        let count = rollbackCount
        beingDeleted.append(object)
        object.prepareForDeletion()
        beingDeleted.removeLast()
        guard count == rollbackCount, object.flags.isDisjoint(with: [.deleted, .detached]) else {
            return
        }
        savePoint?.capture(object)
        recordChange(object)
        reclassify(object) { $0.insert(.deleted) }
        unpropagated.append(object)
        recordSeenLinks(ofDeleted: object)
    }

    /// Registers that links of a deleted object which were not read count as seen in the present
    /// state of the store: an app that had read them would have seen them.
    func recordSeenLinks(ofDeleted object: ManagedObject) {
        let plan = object.home.plan
        guard !plan.linkRelations.isEmpty, !object.flags.contains(.inserted) else { return }
        do {
            let version = try event.position ?? readPosition()
            event.position = version
            let table = object.relationTable()
            for index in plan.linkRelations { table.states[index].assumeRead(in: version) }
        } catch {
            keep(error)
        }
    }
}

extension ManagedObjectContext {
    /// Changes an object's flags and keeps the counts and the list of changed objects true.
    func reclassify(_ object: ManagedObject, _ change: (inout ObjectFlags) -> Void) {
        counts.add(object.flags, -1)
        change(&object.flags)
        counts.add(object.flags, 1)
        if !object.flags.contains(.listed), object.hasChanges {
            object.flags.formUnion(.listed)
            changed.append(object)
        }
    }

    /// Notes an object for the present event.
    func recordChange(_ object: ManagedObject) {
        guard !object.flags.contains(.recordedInEvent) else { return }
        recorder?.record(object, in: self)
        object.flags.formUnion(.recordedInEvent)
        event.touched.append(object)
        scheduleProcessing()
    }

    /// Counts an object as changed, though none of its stored slots need be.
    func touch(_ object: ManagedObject) {
        savePoint?.capture(object)
        recordChange(object)
        if object.flags.isDisjoint(with: .changes) { reclassify(object) { $0.insert(.updated) } }
    }

    /// Before the first write to a realised object in an event.
    func recordWrite(_ object: ManagedObject) {
        checkQueue()
        touch(object)
        let isWatched =
            object.flags.contains(.observed) || primitives.contains(object)
            || !object.home.plan.derivedSlots.isEmpty
        if object.committed.isEmpty, !object.flags.contains(.inserted) {
            object.committed = SlotStorage(copying: object.slots)
            if recorder != nil || isWatched { keepEarlierValues(of: object) }
        } else if !object.flags.contains(.insertedInEvent) {
            keepEarlierValues(of: object)
        }
        if !isWatched { object.flags.formUnion(.writable) }
    }

    /// As ``recordWrite(_:)``, of a slot that counts as changed if it differs.
    func recordWrite(_ object: ManagedObject, _ slot: Int) {
        if object.flags.contains(.runningAwakeHook), object.entity.slots[slot].attribute != nil {
            checkQueue()
            return recordPrimitive(object, slot)
        }
        recordWrite(object)
        primitives.remove(object, slot)
    }

    /// Keeps the values that an object has now, at the first call in an event.
    func keepEarlierValues(of object: ManagedObject) {
        guard event.earlierValues[object] == nil else { return }
        event.earlierValues[object] = Array(object.slots.buffer)
    }

    func foreign(_ object: ManagedObject, to verb: String) -> PropertyError {
        PropertyError(
            .foreignObject,
            "Can't \(verb) \(object.objectID) because it belongs to another context, or to none "
                + "any more; use this context's object with that ID.",
            objectID: object.objectID)
    }

    /// Takes an object out of the context; whoever holds it still reads what it had.
    func detach(_ object: ManagedObject) {
        savePoint?.capture(object)
        counts.add(object.flags, -1)
        object.flags.subtract([.inserted, .updated, .recordedInEvent, .writable, .refault])
        object.flags.formUnion(.detached)
        object.committed = SlotStorage()
        forgetEdits(of: object)
        primitives.remove(object)
        if registry[object.localID] === object { registry.remove(object.localID) }
    }

    /// The object's row was deleted by somebody else.
    func vanish(_ object: ManagedObject) {
        guard !object.flags.contains(.detached) else { return }
        object.reportChanges()
        detach(object)
        object.fillSlots()
        object.flags.formUnion([.deleted, .isFired])
        event.vanished.append(object)
        scheduleProcessing()
    }
}
