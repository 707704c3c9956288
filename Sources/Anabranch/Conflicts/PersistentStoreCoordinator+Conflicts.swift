public import AnabranchModel
import AnabranchReplication
public import AnabranchStore

extension PersistentStoreCoordinator {
    /// What merging has discarded in this file, the newest first.
    ///
    /// - Throws: ``StoreError``.
    public func conflicts(
        _ selection: ConflictSelection = .all, limit: Int = .max
    ) throws -> [Conflict] {
        try store.conflicts(selection, limit: limit)
    }

    /// One entry of the conflict journal; `nil` where there is none of that number, or it was
    /// purged.
    ///
    /// - Throws: ``StoreError``.
    public func conflict(_ id: Conflict.ID) throws -> Conflict? {
        try store.conflicts(.number(id), limit: 1).first
    }

    /// How many entries the conflict journal has; reads none of them.
    ///
    /// - Throws: ``StoreError``.
    public func conflictCount(_ selection: ConflictSelection = .all) throws -> Int {
        try store.conflictCount(selection)
    }

    /// Removes entries from the conflict journal of this file, for good. Objects stay as they
    /// are, and so do other replicas' journals.
    ///
    /// What is to be removed without being asked, ``StoreOptions/conflictRetention`` says.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``; nothing was removed.
    @discardableResult
    public func purgeConflicts(_ selection: ConflictSelection) throws -> Int {
        try store.purgeConflicts(selection)
    }

    /// The object whose property lost a value; of a link, that at its left end. Of a record that
    /// shows as one with others, because they hold one unique key, the object that shows it.
    ///
    /// - Returns: `nil` where the model does not know the entity. Whether there is such an object
    ///   only `existingObject(with:)` tells.
    /// - Throws: ``StoreError``.
    public func managedObjectID(of conflict: Conflict) throws -> ManagedObjectID? {
        guard let entity = try store.entity(of: conflict) else { return nil }
        guard let visible = try store.visibleID(of: conflict.record),
            let shown = try store.read({ try $0.entity(of: visible, in: entity) })
        else { return try managedObjectID(for: conflict.record, entity: entity) }
        return ManagedObjectID(origin: origin, entity: shown, localID: visible)
    }
}

extension ConflictSelection {
    /// What was lost of an object, links that led to it from others among it. Of one that shows
    /// others, because they hold one unique key, also what those lost.
    ///
    /// - Throws: ``StoreError`` where the object's store was closed.
    public static func of(_ objectID: ManagedObjectID) throws -> ConflictSelection {
        .record(try objectID.recordID)
    }

    /// What was lost of an entity's objects, those of its sub-entities among them.
    ///
    /// A lost link counts for the entity that declares the relationship.
    public static func of(_ entity: EntityDescription) -> ConflictSelection {
        .entities(wireNames: entity.hierarchy.map(\.wireName.string))
    }
}
