import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    private static let maximumFaultsAtOnce = 256

    /// Makes a fault readable, unless a hook that it calls has the context forget the object.
    ///
    /// Where its row is not there yet, the rows of other faults of its entity come with it. If
    /// the row is gone the object leaves the context as deleted.
    ///
    /// - Throws: ``StoreError``; ``PropertyError`` where the row is gone and the context's settings
    ///   do not let such an object become deleted.
    func fireFault(_ object: ManagedObject) throws {
        guard try !object.isRealised(in: self), !object.flags.contains(.detached) else { return }
        let isDeleted = shouldHandleInaccessibleFault?(object) ?? shouldDeleteInaccessibleFaults
        guard isDeleted else { throw PropertyError(inaccessible: object) }
        vanish(object)
    }

    /// Gets the row of a fault; there is none where it is gone. Of a row of another entity the
    /// object leaves the context.
    fileprivate func loadRow(of object: ManagedObject) throws {
        var ids = [object.localID]
        var companions: [ManagedObject] = []
        let home = object.home
        var seen: Set<LocalID> = []
        while ids.count < Self.maximumFaultsAtOnce, let id = home.takeLastFault() {
            guard id != object.localID, let other = held(id), other.home === home,
                seen.insert(id).inserted, other.flags.isDisjoint(with: [.hasRow, .inserted])
            else { continue }
            companions.append(other)
            ids.append(id)
        }
        if ids.count > 1 { ids.sort() }
        var impostors: [ManagedObject] = []
        try readRows(of: object.entity, ids: ids) { row in
            guard let reader = row.id == object.localID ? object : held(row.id) else { return }
            if reader.fits(row) { adopt(row, by: reader) } else { impostors.append(reader) }
        }
        for impostor in impostors { dismiss(impostor) }
        keepAlive(companions)
    }

    /// Holds objects until here.
    func keepAlive(_ objects: [ManagedObject]) { withExtendedLifetime(objects) {} }
}

extension ManagedObject {
    /// Makes a fault readable where its row is there.
    ///
    /// - Returns: `false` where the row is gone: the object is as it was, or has left the context.
    ///   That it has also where a hook has the context forget it.
    final func isRealised(in context: ManagedObjectContext) throws -> Bool {
        if flags.contains(.isFired) { return true }
        if !flags.contains(.hasRow) { try context.loadRow(of: self) }
        guard flags.contains(.hasRow) else { return false }
        wake()
        return flags.contains(.isFired) ? true : try isRealisedSilently(in: context)
    }

    /// Where `awakeFromFetch` has made the object a fault again, its row is read once more, and the
    /// hook is not called: so whoever asked for a value gets the store's.
    ///
    /// - Returns: As ``isRealised(in:)``.
    final func isRealisedSilently(in context: ManagedObjectContext) throws -> Bool {
        guard !flags.contains(.detached) else { return true }
        if !flags.contains(.hasRow) { try context.loadRow(of: self) }
        guard flags.contains(.hasRow) else { return false }
        flags.formUnion(.isFired)
        return true
    }

    /// Tells a fault with its row that it is none any more.
    final func wake() {
        flags.formUnion([.isFired, .inTransition, .runningAwakeHook])
        awakeFromFetch()
        flags.subtract([.inTransition, .runningAwakeHook])
        // A fault has no value of its own yet, so that the hook has set them all.
        if !committed.isEmpty { settle(home.plan.transientSlots) }
    }

    /// Tells an object that it has other values, which nobody has set.
    final func wake(by event: SnapshotEventType) {
        let context = managedObjectContext
        let isChanging = context?.event.earlierValues[self] != nil
        let before = isChanging ? Array(slots.buffer) : []
        let unchanged = home.plan.transientSlots.filter { !isChangedSinceCommit($0) }
        flags.subtract(.writable)
        flags.formUnion(.runningAwakeHook)
        awake(fromSnapshotEvents: event)
        flags.subtract(.runningAwakeHook)
        settle(unchanged)
        // Nor is it anything to be undone.
        if isChanging { context?.rebaseEarlierValues(of: self, before) }
    }

    /// What a hook has set of transient attributes is no change.
    private final func settle(_ transients: [Int]) {
        guard !committed.isEmpty, committed.count == slots.count else { return }
        for slot in transients { committed[slot] = slots[slot] }
    }
}

extension PropertyError {
    init(inaccessible object: ManagedObject) {
        self.init(inaccessible: object.objectID, wasRead: object.version != .none)
    }

    /// - Parameter wasRead: True if the context has had a row of the object.
    init(inaccessible objectID: ManagedObjectID, wasRead: Bool) {
        let cause =
            wasRead
            ? "its row was deleted from the store"
            : "the store has no row of it: it was deleted, or another context has inserted it and "
                + "has not saved it"
        self.init(.inaccessible, "Can't read \(objectID) because \(cause).", objectID: objectID)
    }
}
