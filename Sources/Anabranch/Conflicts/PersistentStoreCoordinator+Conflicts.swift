public import AnabranchModel
import AnabranchReplication
public import AnabranchStore

extension PersistentStoreCoordinator {
    /// Returns the writes that merging has discarded in this file, the newest first.
    ///
    /// - Parameters:
    ///   - selection: The entries to return.
    ///   - limit: The greatest number of entries to return.
    /// - Throws: `StoreError`.
    public func conflicts(
        _ selection: ConflictSelection = .all, limit: Int = .max
    ) throws -> [ConflictEntry] {
        try store.conflicts(selection, limit: limit)
    }

    /// Returns one entry of the conflict journal.
    ///
    /// - Returns: `nil` if the journal has no entry with this number, or the entry was purged.
    /// - Throws: `StoreError`.
    public func conflict(_ id: ConflictEntry.ID) throws -> ConflictEntry? {
        try store.conflicts(.number(id), limit: 1).first
    }

    /// Returns the number of entries in the conflict journal without reading them.
    ///
    /// - Throws: `StoreError`.
    public func conflictCount(_ selection: ConflictSelection = .all) throws -> Int {
        try store.conflictCount(selection)
    }

    /// Permanently removes entries from the conflict journal of this file. Objects and the
    /// journals of other replicas are not changed.
    ///
    /// The option `StoreOptions.conflictRetention` purges entries automatically.
    ///
    /// - Returns: The number of removed entries.
    /// - Throws: `StoreError`; nothing was removed then.
    @discardableResult
    public func purgeConflicts(_ selection: ConflictSelection) throws -> Int {
        try store.purgeConflicts(selection)
    }

    /// Returns the ID of the object that lost a value. For a discarded link, this is the object at
    /// its left end. For a merged duplicate, it is the object of the surviving record.
    ///
    /// - Returns: `nil` if the model does not know the entity. An ID does not mean that the object
    ///   still exists; ``ManagedObjectContext/existingObject(with:)`` checks that.
    /// - Throws: `StoreError`.
    public func managedObjectID(of conflict: ConflictEntry) throws -> ManagedObjectID? {
        guard let entity = try store.entity(of: conflict) else { return nil }
        guard let visible = try store.visibleID(of: conflict.record),
            let shown = try store.read({ try $0.entity(of: visible, in: entity) })
        else { return try managedObjectID(for: conflict.record, entity: entity) }
        return ManagedObjectID(origin: origin, entity: shown, localID: visible)
    }
}

extension ConflictSelection {
    /// Selects the entries of one object, including discarded links that pointed to it. If the
    /// object is a surviving record, the entries of its merged duplicates are included.
    ///
    /// - Throws: `StoreError` if the object's store was closed.
    public static func of(_ objectID: ManagedObjectID) throws -> ConflictSelection {
        .record(try objectID.recordID)
    }

    /// Selects the entries of an entity's objects, including its sub-entities.
    ///
    /// A discarded link belongs to the entity that declares the relationship.
    public static func of(_ entity: EntityDescription) -> ConflictSelection {
        .entities(wireNames: entity.hierarchy.map(\.wireName.string))
    }
}
