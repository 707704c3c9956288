import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Objects that somebody holds, or that have changes.
    public var registeredObjects: Set<ManagedObject> {
        checkQueue()
        releaseUnused()
        return Set(registry.values)
    }

    /// The object if it is registered; never reads the store.
    public func registeredObject(for objectID: ManagedObjectID) -> ManagedObject? {
        checkQueue()
        guard objectID.origin === coordinator.origin else { return nil }
        return held(objectID.localID)
    }

    /// The registered object, or a fault; never reads the store.
    ///
    /// Where there is no such record, the object turns out to be deleted when its first property
    /// is read. An ID of another store is a programming error.
    public func object(with objectID: ManagedObjectID) -> ManagedObject {
        checkQueue()
        precondition(
            objectID.origin === coordinator.origin, "The object ID belongs to another store.")
        return held(objectID.localID) ?? makeFault(objectID.localID, objectID.entity)
    }

    /// As ``object(with:)-(ManagedObjectID)``, of a class.
    ///
    /// - Returns: `nil` where the object's entity has another class.
    public func object<T: ManagedObject>(
        with objectID: ManagedObjectID, as type: T.Type
    ) -> T? {
        object(with: objectID) as? T
    }

    /// The registered object, or the one that the store has; never a fault.
    ///
    /// - Throws: ``PropertyError`` with code `inaccessible` where there is none, or with code
    ///   `foreignObject` for an ID of another store; ``StoreError``.
    public func existingObject(with objectID: ManagedObjectID) throws -> ManagedObject {
        checkQueue()
        guard objectID.origin === coordinator.origin else {
            throw PropertyError(
                .foreignObject, "Can't find \(objectID) because it is of another store.",
                objectID: objectID)
        }
        let object = object(with: objectID)
        if object.isDeleted {
            throw PropertyError(
                .inaccessible, "Can't find \(objectID) because it is deleted.", objectID: objectID)
        }
        try object.realiseOrThrow()
        return object
    }
}

extension ManagedObjectContext {
    /// A registered object that is in use or has changes; one that nobody holds is forgotten, as
    /// behind a weak reference.
    func held(_ id: LocalID) -> ManagedObject? {
        registry.held(id) { !$0.flags.isDisjoint(with: [.listed, .noted]) }
    }

    func makeFault(_ id: LocalID, _ entity: EntityDescription) -> ManagedObject {
        releaseUnusedIfMany()
        let home = home(of: entity)
        let object = make(ObjectBirth(home: home, id: id))
        home.faults.append(id)
        return object
    }

    func make(_ birth: consuming ObjectBirth) -> ManagedObject {
        let id = birth.id
        let type = birth.home.plan.type
        let object = type.init(birth)
        let forgotten = registry.insert(object, for: id)
        withExtendedLifetime(forgotten) {}
        return object
    }

    /// The object of a row: the registered one, or a new one that is still a fault.
    ///
    /// - Parameter refreshing: Whether a clean object takes over the row even though it has one.
    func object(of row: consuming StoredRow, refreshing: Bool = false) -> ManagedObject {
        if let object = held(row.id) {
            if !object.flags.contains(.hasRow), !object.flags.contains(.inserted) {
                adopt(row, by: object)
            } else if refreshing {
                merge(row, into: object)
            }
            return object
        }
        let object = make(
            ObjectBirth(
                home: home(of: row.entity), id: row.id, slots: row.slots, flags: .hasRow,
                version: row.version))
        if !deletedIDs.isEmpty { clearReferences(of: object, to: deletedIDs) }
        return object
    }

    /// Gives a fault its values.
    func adopt(_ row: StoredRow, by object: ManagedObject) {
        object.slots = row.slots
        object.version = row.version
        object.flags.insert(.hasRow)
        if !deletedIDs.isEmpty { clearReferences(of: object, to: deletedIDs) }
    }
}
