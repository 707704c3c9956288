import AnabranchStore

/// The changes of objects, as object IDs: the payload of every notification of a context.
///
/// It is `Sendable`, and so the changes of one context can be merged into another.
public struct ObjectIDChanges: Sendable {
    /// The inserted objects.
    public var inserted: ObjectIDList
    /// The objects that a context's code changed, or that a save wrote as changed.
    public var updated: ObjectIDList
    /// The deleted objects.
    public var deleted: ObjectIDList
    /// The objects that got new values from the store, or became faults. After a save, these are
    /// objects that show other values although the save did not write them. An example is an
    /// object that lost its one-to-one target to another object.
    public var refreshed: ObjectIDList
    /// The objects that left the context because their insertion was undone or rolled back.
    public var invalidated: ObjectIDList
    /// The objects that were registered when the context was reset.
    public var invalidatedAll: ObjectIDList
    /// The objects with a changed ID, from the old ID to the new one. They keep their registration
    /// and their unsaved changes.
    ///
    /// An ID changes in these cases:
    ///
    /// - The file took a new replica ID before the objects were saved.
    /// - The objects were saved under the old replica ID, and that history forked from the zone's.
    /// - A ``MergePolicy`` turned an object into a new record, or into the record that holds its
    ///   unique key.
    /// - An undo recreated a deleted record.
    /// - The context merged such changes from another context.
    ///
    /// If the context already has an object with the new ID, the object with the old ID has left
    /// the context.
    public var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// The number of this event among those of its kind that its context has reported, from 1; 0
    /// for changes that an app has created.
    ///
    /// A sequence keeps at most 1,024 events for a slow reader. Where it dropped earlier ones,
    /// their numbers are missing: then read anew what you show.
    public internal(set) var number: UInt64 = 0
    /// The position of this save in the history; `nil` if nothing was saved.
    public var position: HistoryPosition?
    /// The author of the saving context, or `sync` for remote changes.
    public var author = ""

    init(origin: StoreOrigin) {
        let none = ObjectIDList(origin)
        inserted = none
        updated = none
        deleted = none
        refreshed = none
        invalidated = none
        invalidatedAll = none
    }

    /// Creates changes from object IDs, to be merged into a context.
    public init(
        inserted: some Collection<ManagedObjectID> = [],
        updated: some Collection<ManagedObjectID> = [],
        deleted: some Collection<ManagedObjectID> = []
    ) {
        self.inserted = ObjectIDList(inserted)
        self.updated = ObjectIDList(updated)
        self.deleted = ObjectIDList(deleted)
        refreshed = ObjectIDList([])
        invalidated = ObjectIDList([])
        invalidatedAll = ObjectIDList([])
    }

    /// True if no list has an element.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && invalidatedAll.isEmpty
    }
}
