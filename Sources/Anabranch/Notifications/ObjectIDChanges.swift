import AnabranchStore

/// What has happened to objects: the payload of every notification of a context.
///
/// `Sendable`, so that one context's changes may be merged into another.
public struct ObjectIDChanges: Sendable {
    public var inserted: ObjectIDList
    /// Changed by the context's own code, or saved as changed.
    public var updated: ObjectIDList
    public var deleted: ObjectIDList
    /// Values came anew from the store, or the object became a fault; of a save, who shows
    /// something else by it though it was not written: whoever has lost a one-to-one to another.
    public var refreshed: ObjectIDList
    /// Insertions that were taken back.
    public var invalidated: ObjectIDList
    /// Every object that was registered when the context was reset.
    public var invalidatedAll: ObjectIDList
    /// Objects that have other IDs than before, which they keep their registration and their
    /// edits under: the file took a new replica ID before they were saved, what was saved under
    /// the old one forked from the zone's history, or a ``MergePolicy`` let an object become a new
    /// record, or the one that holds its unique key, an undo made a deleted record anew, or the
    /// context has merged such changes of others. Where the context has another object of that
    /// ID already, the one with the old ID has left it.
    public var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// The history's position after this save; `nil` where nothing was saved.
    public var position: HistoryPosition?
    /// Who made the changes: the author of the saving context, `sync` for remote ones.
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

    /// Changes known from elsewhere, to be merged into a context.
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

    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && invalidatedAll.isEmpty
    }
}
