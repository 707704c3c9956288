import AnabranchReplication
import AnabranchStore

/// How many objects of a context are inserted, updated and deleted.
struct ChangeCounts {
    private(set) var inserted = 0
    private(set) var updated = 0
    private(set) var deleted = 0

    var total: Int { inserted + updated + deleted }
    var isEmpty: Bool { total == 0 }

    /// Adds what an object with these flags counts as.
    mutating func add(_ flags: ObjectFlags, _ number: Int) {
        switch (flags.contains(.inserted), flags.contains(.deleted)) {
        case (true, true): break
        case (true, false): inserted += number
        case (false, true): deleted += number
        case (false, false): if flags.contains(.updated) { updated += number }
        }
    }
}

/// What has happened in a context since it last told its observers.
struct EventChanges {
    /// Objects changed by the app, each once.
    var touched: [ManagedObject] = []
    /// Objects whose values came anew from the store, or that became faults.
    var refreshed: [ManagedObject] = []
    /// How many of them there may be before those that come twice are sorted out.
    private var maximumRefreshed = 256
    /// Objects that are gone without this context's deleting them.
    var vanished: [ManagedObject] = []
    /// Objects whose insertion was taken back.
    var invalidated: [ManagedObject] = []
    var invalidatedAll: [ManagedObjectID] = []
    /// Objects to which an undo, or what others have told, has given other IDs.
    var renamedObjects: [ManagedObjectID: ManagedObjectID] = [:]
    /// Refreshed objects that referred to somebody whom others have deleted, or knew them as
    /// members: what they show has changed, though their rows have not.
    var bereft: Set<ManagedObject> = []
    /// Touched objects that an undo has brought back, or left without a change.
    var broughtBack: Set<ManagedObject> = []
    var cleaned: Set<ManagedObject> = []
    /// Of objects with values of this event's beginning that ``ManagedObject/committed`` is not:
    /// these. Of a context with an undo stack, of every object that was written.
    var earlierValues: [ManagedObject: [PropertyValue]] = [:]
    /// Objects whose relationships may have other members than were known. They count as
    /// refreshed for everybody who does not know which records have changed.
    var unloaded: [ManagedObject] = []
    /// What others have inserted; no object is made for it.
    var insertedElsewhere = ObjectIDList([])
    /// While results follow the context: records that other saves changed, registered here or not.
    var merged: [ChangedRecords.Entity] = []
    /// While results follow the context: how much of the changes of other saves ``merged`` has.
    var extent = ChangedRecords.Extent.complete
    /// While results follow the context: records by the IDs that they had before.
    var renamed: [LocalID: LocalID] = [:]

    /// The last position of the store's log when the event first asked for it.
    var position: RowVersion?

    /// Whether something has happened to records, whether they are registered or not.
    var concernsRecords: Bool {
        !merged.isEmpty || !renamed.isEmpty || extent == .unknown
    }

    var isEmpty: Bool {
        touched.isEmpty && refreshed.isEmpty && vanished.isEmpty && invalidated.isEmpty
            && invalidatedAll.isEmpty && unloaded.isEmpty && insertedElsewhere.isEmpty
    }

    /// Objects that were refreshed or unloaded, each once.
    var reloaded: [ManagedObject] {
        let all = refreshed + unloaded
        guard all.count > 1 else { return all }
        var seen: Set<LocalID> = []
        return all.filter { seen.insert($0.localID).inserted }
    }

    /// Notes an object that has become a fault, which it may do again and again in one event.
    mutating func addRefreshed(_ object: ManagedObject) {
        if refreshed.count >= maximumRefreshed {
            var seen: Set<LocalID> = []
            refreshed = refreshed.filter { seen.insert($0.localID).inserted }
            maximumRefreshed = max(256, refreshed.count * 2)
        }
        refreshed.append(object)
    }

    /// Every object that it mentions.
    var objects: [ManagedObject] { touched + refreshed + unloaded + vanished + invalidated }
}

/// An event that is over, and what notifications tell of it.
struct EndedEvent {
    let event: EventChanges
    /// `nil` if only records were concerned that are not registered, or if nothing observes.
    let changes: ObjectIDChanges?
}
