import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Updates an object to the store's state.
    ///
    /// - Parameters:
    ///   - object: An object of this context.
    ///   - mergeChanges: If it is true, the row is read again and the unsaved changes are applied
    ///     on top. If a member of an attribute group has an unsaved change, all members keep their
    ///     values here, and the next save writes them, because they were read and set together. If
    ///     the row is gone, the object leaves the context as deleted, with its changes. An object
    ///     without changes becomes a fault. If it is false, the unsaved changes are discarded and
    ///     the object becomes a fault; an object that was never saved leaves the context.
    /// - Throws: `StoreError`, with the object unchanged; ``PropertyError`` with code
    ///   `foreignObject` for an object of another context. An object that is known to be deleted
    ///   is not changed and causes no error.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        checkQueue()
        guard object.home.context === self else { throw foreign(object, to: "refresh") }
        followParent()
        guard !object.flags.contains(.detached) else { return }
        if mergeChanges {
            try refreshMerging([object])
        } else {
            try withoutUndo { try discardChanges(of: object) }
        }
        scheduleProcessing()
    }

    /// Updates every registered object to the store's state and keeps unsaved changes, like
    /// ``refresh(_:mergeChanges:)``.
    ///
    /// - Throws: `StoreError`.
    public func refreshAllObjects() throws {
        checkQueue()
        followParent()
        releaseUnused()
        try refreshMerging(registry.values)
        scheduleProcessing()
    }

    /// - Parameter rows: Those that were read already.
    func refreshMerging(_ objects: [ManagedObject], _ rows: [LocalID: RowCopy] = [:]) throws {
        recorder?.mergeCount += 1
        var dirty: [LocalID: ManagedObject] = [:]
        var refreshed: [ManagedObject] = []
        for object in objects where !object.flags.contains(.inserted) {
            if object.hasChanges {
                dirty[object.localID] = object
            } else {
                turnIntoFault(object)
            }
        }
        var gone = Set(dirty.keys)
        func take(_ row: ObjectRow) {
            guard let object = dirty[row.id] else { return }
            guard object.flags.contains(.hasRow) || object.fits(row) else { return }
            gone.remove(row.id)
            if object.flags.contains(.hasRow) {
                merge(row, into: object)
            } else {
                adopt(row, by: object)
            }
            unloadRelations(of: object)
            refreshed.append(object)
        }
        withExtendedLifetime(rows) {
            for (_, row) in rows.sorted(by: { $0.key < $1.key }) {
                take(.lent(.passUnretained(row)))
            }
        }
        let unread = rows.isEmpty ? dirty : dirty.filter { rows[$0.key] == nil }
        for (entity, group) in Dictionary(grouping: unread.values, by: \.entity) {
            try readRows(of: entity, ids: group.map(\.localID).sorted(), take)
        }
        event.refreshed += refreshed
        let rowless = gone.compactMap { dirty[$0] }.filter { !$0.flags.contains(.hasRow) }
        gone.subtract(rowless.map(\.localID))
        gone.formUnion(try dismissImpostors(among: rowless).map(\.localID))
        let mentioning = forget(
            Dictionary(grouping: gone.compactMap { dirty[$0] }, by: \.entity).mapValues {
                $0.map(\.localID)
            })
        settleReferences(of: mentioning, to: gone)
        awake(refreshed)
    }

    /// Tells objects that they have newer values.
    func awake(_ refreshed: [ManagedObject]) {
        for object in refreshed
        where !object.isFault && object.flags.isDisjoint(with: [.deleted, .detached]) {
            object.wake(by: .refresh)
        }
    }
}
