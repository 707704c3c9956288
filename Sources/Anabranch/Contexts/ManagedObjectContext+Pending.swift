import AnabranchModel
import AnabranchStore

extension ManagedObjectContext {
    /// Follows the delete rules of what was deleted and tells observers what has changed since
    /// the last time; with nothing new it does nothing.
    ///
    /// Called by itself at the end of `perform`, of an event of the main queue, and by saving.
    /// An error of the store is thrown by the next save.
    public func processPendingChanges() {
        checkQueue()
        do {
            try propagateDeletes()
        } catch {
            keep(error)
        }
        announceChanges()
    }

    /// Tells observers what the present event has changed, and begins another one.
    func announceChanges() {
        guard !event.isEmpty else { return }
        let present = event
        event = EventChanges()
        for object in present.touched {
            object.flags.subtract([.noted, .writable])
        }
        post(.objectsDidChange, changes(of: present))
        for object in present.touched { object.flags.remove(.born) }
    }

    private func changes(of event: EventChanges) -> ObjectIDChanges {
        var inserted: [ObjectIDList.Item] = []
        var updated: [ObjectIDList.Item] = []
        var deleted: [ObjectIDList.Item] = []
        for object in event.touched where !object.flags.contains(.detached) {
            if object.flags.contains(.deleted) {
                deleted.append(object.listItem)
            } else if object.flags.contains(.born) {
                inserted.append(object.listItem)
            } else if object.hasChanges {
                updated.append(object.listItem)
            }
        }
        // What was born and deleted within one event has never been there for an observer.
        deleted += event.vanished.filter { !$0.flags.contains(.born) }.map(\.listItem)
        let origin = coordinator.origin
        var changes = ObjectIDChanges(origin: origin)
        changes.inserted = ObjectIDList(origin, inserted)
        changes.updated = ObjectIDList(origin, updated)
        changes.deleted = ObjectIDList(origin, deleted)
        changes.refreshed = ObjectIDList(origin, event.refreshed.map(\.listItem))
        changes.invalidated = ObjectIDList(origin, event.invalidated.map(\.listItem))
        changes.invalidatedAll = ObjectIDList(event.invalidatedAll)
        return changes
    }
}

extension ManagedObject {
    final var listItem: ObjectIDList.Item {
        ObjectIDList.Item(id: localID, entityIndex: Int32(truncatingIfNeeded: entity.index))
    }
}
