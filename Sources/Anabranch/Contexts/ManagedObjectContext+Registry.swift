import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// The objects that the app holds or that have unsaved changes.
    public var registeredObjects: Set<ManagedObject> {
        checkQueue()
        releaseUnused()
        return Set(registry.values)
    }

    /// Returns the object with an ID if it is registered; it never reads the store.
    public func registeredObject(for objectID: ManagedObjectID) -> ManagedObject? {
        checkQueue()
        guard objectID.belongs(to: coordinator.origin) else { return nil }
        return held(objectID.localID)
    }

    /// Returns the registered object with an ID, or a new fault; it never reads the store.
    ///
    /// The record may not exist, or may have another entity than the ID names. The object then
    /// turns out to be deleted when its first property is read. For an ID of another store, the
    /// result is an unregistered object that is deleted from the start. The next save then throws
    /// a ``PropertyError`` with code `foreignObject`. If an ID can be invalid, use
    /// ``existingObject(with:)``, which throws at once.
    public func object(with objectID: ManagedObjectID) -> ManagedObject {
        checkQueue()
        guard objectID.belongs(to: coordinator.origin) else { return standIn(for: objectID) }
        return held(objectID.localID) ?? makeFault(objectID.localID, objectID.entity)
    }

    /// Returns the registered object with an ID, or a new fault, as an object of a class; see
    /// ``object(with:)-(ManagedObjectID)``.
    ///
    /// - Returns: `nil` if the object has another class.
    public func object<T: ManagedObject>(
        with objectID: ManagedObjectID, as type: T.Type
    ) -> T? {
        object(with: objectID) as? T
    }

    /// Returns the object with an ID, from the context or the store; never a fault.
    ///
    /// The ID can name a super-entity of the object's entity, as an ID from a `RecordID` can. An
    /// object with an unsaved deletion exists, with ``ManagedObject/isDeleted``; a deleted unsaved
    /// insertion does not.
    ///
    /// - Throws: ``PropertyError`` with code `inaccessible` if the object does not exist, and with
    ///   code `foreignObject` for an ID of another store; `StoreError`.
    public func existingObject(with objectID: ManagedObjectID) throws -> ManagedObject {
        checkQueue()
        guard objectID.belongs(to: coordinator.origin) else {
            throw foreign(objectID)
        }
        guard let object = try held(objectID.localID) ?? readObject(with: objectID) else {
            throw PropertyError(inaccessible: objectID, wasRead: false)
        }
        if object.flags.contains([.inserted, .deleted]) {
            throw PropertyError(
                .inaccessible, "Can't find \(objectID) because it is deleted.", objectID: objectID)
        }
        if try object.isRealised(in: self), !object.flags.contains(.detached) { return object }
        if object.flags.contains(.detached) || object.entity !== objectID.entity {
            // The ID of one of both named an entity that is not the record's.
            if let other = try readObject(with: objectID), try other.isRealised(in: self),
                other.managedObjectContext === self
            {
                return other
            }
        }
        if shouldDeleteInaccessibleFaults { vanish(object) }
        throw PropertyError(inaccessible: object)
    }
}

extension ManagedObjectContext {
    /// Reads the object of a record with its row.
    ///
    /// - Returns: `nil` if no record with the ID has the ID's entity or one below it.
    private func readObject(with objectID: ManagedObjectID) throws -> ManagedObject? {
        releaseUnusedIfMany()
        var object: ManagedObject?
        var forgotten: [ManagedObject] = []
        try readRows(of: objectID.entity, ids: [objectID.localID]) { row in
            object = self.object(of: row, refreshing: false, forgotten: &forgotten)
        }
        withExtendedLifetime(forgotten) {}
        return object
    }

    private func foreign(_ objectID: ManagedObjectID) -> PropertyError {
        PropertyError(
            .foreignObject, "Can't find \(objectID) because it belongs to another store.",
            objectID: objectID)
    }

    /// What an ID of another store gets where nothing can be thrown.
    private func standIn(for objectID: ManagedObjectID) -> ManagedObject {
        keep(foreign(objectID))
        let home = foreignHome(of: objectID)
        let object = home.plan.type.init(
            ObjectInitialization(
                home: home, id: objectID.localID, flags: [.isFired, .deleted, .detached]))
        object.fillSlots()
        return object
    }

    /// A registered object that is in use or has changes; one that nobody holds is forgotten, as
    /// behind a weak reference.
    func held(_ id: LocalID) -> ManagedObject? {
        registry.held(id, orKept: isKept)
    }

    func makeFault(_ id: LocalID, _ entity: EntityDescription) -> ManagedObject {
        releaseUnusedIfMany()
        let home = home(of: entity)
        let object = make(ObjectInitialization(home: home, id: id))
        home.addFault(id)
        return object
    }

    func make(_ birth: ObjectInitialization) -> ManagedObject {
        let object = birth.home.plan.type.init(birth)
        let forgotten = registry.insert(object, for: birth.id)
        withExtendedLifetime(forgotten) {}
        return object
    }

    /// Returns the objects of rows, in the rows' order: the registered ones, and new ones that are
    /// still faults. All rows come into a context this way, whatever was read.
    ///
    /// - Parameters:
    ///   - isRefreshing: True if a clean object takes over its row even though it has one.
    ///   - areNew: True if the context is empty and no row comes twice, so that no look-up is
    ///     needed.
    ///   - read: Reads the rows and passes each one on. Code of the app does not interrupt it.
    @inline(__always)
    func objects(
        refreshing isRefreshing: Bool = false, areNew: Bool = false,
        ofRows read: (_ take: (ObjectRow) -> Void) throws -> Void
    ) rethrows -> [ManagedObject] {
        releaseUnusedIfMany()
        var objects: [ManagedObject] = []
        var forgotten: [ManagedObject] = []
        try read { row in
            objects.append(
                areNew
                    ? registeredNewObject(of: row, forgotten: &forgotten)
                    : object(of: row, refreshing: isRefreshing, forgotten: &forgotten))
        }
        withExtendedLifetime(forgotten) {}
        return objects
    }

    /// The object of a row: the registered one, or a new one that is still a fault.
    ///
    /// - Parameters:
    ///   - isRefreshing: True if a clean object takes over the row even though it has one.
    ///   - forgotten: Gets the object that the record had and that is not in use any longer. Its
    ///     deinit may run code of the app, so the caller drops it after the read.
    func object(
        of row: ObjectRow, refreshing isRefreshing: Bool, forgotten: inout [ManagedObject]
    ) -> ManagedObject {
        if let object = registeredObject(takingOver: row, refreshing: isRefreshing) {
            return object
        }
        return registeredNewObject(of: row, forgotten: &forgotten)
    }

    /// As ``object(of:refreshing:forgotten:)``, where no object of the row is in use.
    func registeredNewObject(of row: ObjectRow, forgotten: inout [ManagedObject]) -> ManagedObject {
        let object = newObject(of: row)
        if let earlier = registry.insert(object, for: row.id) { forgotten.append(earlier) }
        return object
    }

    /// - Parameter refreshing: Whether a clean object takes over the row even though it has one.
    /// - Returns: `nil` where the row's object is not registered; the caller registers one.
    func registeredObject(
        takingOver row: ObjectRow, refreshing: Bool = false
    ) -> ManagedObject? {
        guard registry.count > 0, let object = held(row.id) else { return nil }
        if !object.flags.contains(.hasRow), !object.flags.contains(.inserted) {
            guard object.fits(row) else {
                setAside(object)
                return nil
            }
            adopt(row, by: object)
        } else if refreshing {
            merge(row, into: object)
        }
        return object
    }

    /// An object, still a fault, that has to be registered yet.
    func newObject(of row: ObjectRow) -> ManagedObject {
        let home = home(at: Int(row.entityIndex))
        let object = home.plan.type.init(
            ObjectInitialization(
                home: home, id: row.id, values: .row(row), flags: .hasRow, version: row.version))
        if !deletedIDs.isEmpty { clearReferences(of: object, to: deletedIDs) }
        return object
    }

    /// Gives a fault its values.
    func adopt(_ row: ObjectRow, by object: ManagedObject) {
        object.slots = SlotStorage(row)
        object.version = row.version
        object.flags.formUnion(.hasRow)
        if !deletedIDs.isEmpty { clearReferences(of: object, to: deletedIDs) }
    }
}
