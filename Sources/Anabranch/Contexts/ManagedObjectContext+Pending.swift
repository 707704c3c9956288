import AnabranchModel
import AnabranchStore

extension ManagedObjectContext {
    /// Applies the delete rules of deleted objects and notifies observers of the changes since the
    /// last call. Without changes it does nothing.
    ///
    /// The context calls it at the end of `perform`, at the end of an event of the main queue, and
    /// in a save. If ``propagatesDeletesAtEndOfEvent`` is false, only the save applies the delete
    /// rules. The next save throws an error of the store. While a save resolves conflicts
    /// observers are not notified; after it they get all changes of the resolution.
    public func processPendingChanges() {
        checkQueue()
        do {
            if propagatesDeletesAtEndOfEvent { try propagateDeletes() }
        } catch {
            keep(error)
        }
        announceChanges()
        if savePoint == nil { recorder?.stack.closeEvent() }
    }

    /// Tells observers what the present event has changed, and begins another one; not while a save
    /// that may fail after all settles conflicts.
    func announceChanges() {
        guard savePoint == nil else { return }
        if let ended = takeEvent() { announce(ended) }
    }

    /// Ends the present event, and begins another one.
    ///
    /// - Returns: The event; `nil` if nothing has happened, or if nothing observes the context.
    func takeEvent() -> EndedEvent? {
        primitives.endEvent()
        guard !event.isEmpty || event.concernsRecords else { return nil }
        if recorder != nil { registerUndo() }
        var ended = EventChanges()
        swap(&ended, &event)
        changedByHooks?.append(contentsOf: ended.touched)
        let changes = ended.isEmpty ? nil : takeChanges(of: ended)
        guard changes != nil || !followers.isEmpty else { return nil }
        return EndedEvent(event: ended, changes: changes)
    }

    func announce(_ ended: EndedEvent) {
        if let changes = ended.changes { post(ended.event, changes) }
        guard !followers.isEmpty else { return }
        followers.removeGone()
        for follower in followers.all { follower.contextDidChange(ended.event) }
    }

    /// Of what came and went within the event nobody is told.
    private func post(_ event: EventChanges, _ changes: ObjectIDChanges) {
        // Whoever is told may end an event of his own.
        let outer = announcedValues
        announcedValues = event.earlierValues
        if !changes.isEmpty || !changes.renamed.isEmpty {
            post(.objectsDidChange, { changes }, among: { event.objects })
        }
        announcedValues = outer
        for object in event.touched { object.flags.subtract([.reported, .announcedBirth]) }
    }

    /// Takes the event's marks off its objects: what observers change is another event, for which
    /// a new object was there before.
    ///
    /// - Returns: The changes; `nil` if nothing observes them.
    private func takeChanges(of event: EventChanges) -> ObjectIDChanges? {
        guard isObserved(.objectsDidChange) else {
            for object in event.touched {
                object.flags.subtract([.recordedInEvent, .writable, .insertedInEvent])
            }
            return nil
        }
        var inserted: [ObjectIDList.Item] = []
        var updated: [ObjectIDList.Item] = []
        var deleted: [ObjectIDList.Item] = []
        // What was born and deleted within one event has never been there for an observer.
        let vanished = event.vanished.filter { !$0.flags.contains(.insertedInEvent) }
        let areBroughtBack = !event.broughtBack.isEmpty
        updated.reserveCapacity(min(event.touched.count, counts.updated))
        inserted.reserveCapacity(min(event.touched.count, counts.inserted))
        for object in event.touched {
            let flags = takeMarks(of: object)
            if flags.contains(.detached) { continue }
            if flags.contains(.deleted) {
                if !flags.contains(.insertedInEvent) { deleted.append(object.listItem) }
            } else if flags.contains(.insertedInEvent)
                || areBroughtBack && event.broughtBack.contains(object)
            {
                inserted.append(object.listItem)
            } else if !flags.isDisjoint(with: .changes) || event.cleaned.contains(object) {
                updated.append(object.listItem)
            }
        }
        deleted += vanished.map(\.listItem)
        let origin = coordinator.origin
        var changes = ObjectIDChanges(origin: origin)
        changes.inserted = event.insertedElsewhere
        changes.inserted.append(inserted, of: origin)
        changes.updated = ObjectIDList(origin, updated)
        changes.deleted = ObjectIDList(origin, deleted)
        changes.refreshed = ObjectIDList(origin, event.reloaded.map(\.listItem))
        changes.invalidated = ObjectIDList(origin, event.invalidated.map(\.listItem))
        changes.invalidatedAll = ObjectIDList(event.invalidatedAll)
        changes.renamed = event.renamedObjects
        return changes
    }

    /// - Returns: The object's flags before.
    private func takeMarks(of object: ManagedObject) -> ObjectFlags {
        let flags = object.flags
        object.flags.subtract([.recordedInEvent, .writable, .insertedInEvent])
        if flags.contains(.insertedInEvent) { object.flags.formUnion(.announcedBirth) }
        if flags.contains(.writable) { object.flags.formUnion(.reported) }
        return flags
    }
}

extension ManagedObject {
    final var listItem: ObjectIDList.Item { localID.listItem(of: entity) }
}

extension LocalID {
    func listItem(of entity: EntityDescription) -> ObjectIDList.Item {
        ObjectIDList.Item(id: self, entityIndex: Int32(truncatingIfNeeded: entity.index))
    }
}
