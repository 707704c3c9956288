import AnabranchModel
public import AnabranchReplication
public import AnabranchStore

/// A value that is held for an object and that the object does not show, because a view rule
/// decided between values that were saved concurrently.
///
/// It shows again if the value that hides it is changed. A save of this store that overwrites or
/// deletes it, or that changes the value that hides it in a merged object, records it in the
/// conflict journal.
public struct HiddenWrite: Hashable, Sendable {
    /// The ID of the object that would show the value.
    public let objectID: ManagedObjectID
    /// The name of the attribute or of the to-one relationship. For a member of an attribute group
    /// it is the name of the group, and the value is the whole group's.
    public let key: String
    /// The value, the record that holds it, and the author and the time of the write.
    public let held: HeldWrite
    /// The rule that hides the value.
    public let rule: HidingRule
    /// The value that the object shows instead; null for a reference, which then reads nil.
    public let shownValue: PropertyValue

    init(_ row: HiddenWriteRow, origin: StoreOrigin) {
        objectID = ManagedObjectID(origin: origin, entity: row.entity, localID: row.id)
        key = row.key
        held = row.held
        rule = row.rule
        shownValue = row.shownValue
    }
}

extension ManagedObjectContext {
    /// Returns the values that are held and that no object shows, by the last saved state of the
    /// store.
    ///
    /// - The values of merged duplicates that differ from the shown one
    ///   (``duplicates(of:limit:offset:)``).
    /// - References that another one hides: in a one-to-one relationship, in one that is its own
    ///   inverse, or where a cycle was cut. They read nil.
    /// - Values of a property with the merge rule `keepBoth` beside the shown one.
    ///
    /// Values that were discarded are in the conflict journal.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the objects, including its sub-entities; `nil` for all
    ///     entities.
    ///   - limit: The greatest number of values; zero for all.
    ///   - offset: The number of values to skip. The order is by root entity, by ID, by property,
    ///     and the latest first, so consecutive pages are consistent as long as nothing is saved
    ///     between them.
    /// - Throws: ``PropertyError`` for an unknown entity; `StoreError`.
    public func hiddenWrites(
        of entityName: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> [HiddenWrite] {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.hiddenWrites(
                of: entity, limit: limit > 0 ? limit : nil, offset: max(offset, 0)
            ).map { HiddenWrite($0, origin: origin) }
        }
    }

    /// Returns the values that are held for one object and that it does not show.
    ///
    /// - Parameter objectID: An object of this store. For an object that was never saved the result
    ///   is empty.
    /// - Throws: ``PropertyError`` with code `foreignObject`; `StoreError`.
    public func hiddenWrites(of objectID: ManagedObjectID) throws -> [HiddenWrite] {
        checkQueue()
        guard objectID.belongs(to: coordinator.origin) else {
            throw PropertyError(
                .foreignObject,
                "Can't read the writes of \(objectID) because it belongs to another store.",
                objectID: objectID)
        }
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.hiddenWrites(of: objectID.localID, objectID.entity)
        }.map { HiddenWrite($0, origin: origin) }
    }
}
