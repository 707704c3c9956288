import AnabranchModel
import AnabranchStore

extension ManagedObjectContext {
    /// Follows the delete rules of what was deleted and tells observers what has changed since
    /// the last time; with nothing new it does nothing.
    ///
    /// Called by itself at the end of `perform`, of an event of the main queue, and by saving.
    /// Delete rules wait for the save where ``propagatesDeletesAtEndOfEvent`` says so. An error of
    /// the store is thrown by the next save.
    public func processPendingChanges() {
        checkQueue()
        do {
            if propagatesDeletesAtEndOfEvent { try propagateDeletes() }
        } catch {
            keep(error)
        }
        announceChanges()
        recorder?.stack.closeEvent()
    }

    /// Tells observers what the present event has changed, and begins another one.
    func announceChanges() {
        if let ended = takeEvent() { announce(ended) }
    }

    /// Ends the present event, and begins another one.
    ///
    /// - Returns: What is to be told to observers; `nil` where nothing has happened.
    func takeEvent() -> EndedEvent? {
        primitives.endEvent()
        guard !event.isEmpty || event.concernsRecords else { return nil }
        if recorder != nil { registerUndo() }
        let present = event
        event = EventChanges()
        changedByHooks?.append(contentsOf: present.touched)
        return EndedEvent(event: present, changes: present.isEmpty ? nil : takeChanges(of: present))
    }

    func announce(_ ended: EndedEvent) {
        if let changes = ended.changes { post(ended.event, changes) }
        guard !followers.isEmpty else { return }
        followers.removeGone()
        for follower in followers.all { follower.contextDidChange(ended.event) }
    }

    private func post(_ event: EventChanges, _ changes: ObjectIDChanges) {
        announcedValues = event.earlierValues
        post(.objectsDidChange, changes) { event.objects }
        announcedValues = [:]
        for object in event.touched { object.flags.subtract([.born, .announced]) }
    }

    /// Takes the event's marks off its objects.
    private func takeChanges(of event: EventChanges) -> ObjectIDChanges {
        var inserted: [ObjectIDList.Item] = []
        var updated: [ObjectIDList.Item] = []
        var deleted: [ObjectIDList.Item] = []
        for object in event.touched {
            let flags = object.flags
            object.flags.subtract([.noted, .writable])
            if flags.contains(.writable) { object.flags.formUnion(.announced) }
            if flags.contains(.detached) { continue }
            if flags.contains(.deleted) {
                if !flags.contains(.born) { deleted.append(object.listItem) }
            } else if flags.contains(.born) || event.broughtBack.contains(object) {
                inserted.append(object.listItem)
            } else if !flags.isDisjoint(with: .changes) || event.cleaned.contains(object) {
                updated.append(object.listItem)
            }
        }
        // What was born and deleted within one event has never been there for an observer.
        deleted += event.vanished.filter { !$0.flags.contains(.born) }.map(\.listItem)
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
}

extension ManagedObject {
    final var listItem: ObjectIDList.Item {
        ObjectIDList.Item(id: localID, entityIndex: Int32(truncatingIfNeeded: entity.index))
    }
}
