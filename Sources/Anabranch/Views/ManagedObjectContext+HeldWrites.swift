import AnabranchModel
public import AnabranchStore

extension ManagedObjectContext {
    /// Returns the writes of a property that the store holds for an object, the latest first,
    /// whether the object shows them or not.
    ///
    /// - A property with the merge rule `keepBoth` has every value that no write has replaced.
    /// - An object that shows several records with one unique key has the writes of each of them
    ///   (``duplicates(of:limit:offset:)``).
    /// - A reference that a view rule hides is among them (``hiddenWrites(of:limit:offset:)``).
    ///
    /// Values that were discarded are in the conflict journal. Unsaved changes are not included.
    ///
    /// - Parameters:
    ///   - objectID: An object of this store. For an object that was never saved the result is
    ///     empty.
    ///   - key: The name of an attribute or of a to-one relationship. A member of an attribute
    ///     group has the values of the whole group.
    /// - Throws: ``PropertyError`` with code `foreignObject`, `unknownProperty` or `wrongKind`;
    ///   `StoreError`.
    public func heldWrites(of objectID: ManagedObjectID, forKey key: String) throws -> [HeldWrite] {
        checkQueue()
        guard objectID.belongs(to: coordinator.origin) else {
            throw PropertyError(
                .foreignObject,
                "Can't read the writes of \(objectID) because it belongs to another store.",
                property: key, objectID: objectID)
        }
        let entity = objectID.entity
        guard let property = entity.property(named: key) else {
            throw PropertyError(
                .unknownProperty,
                "Can't read the writes of \(entity.name).\(key) because the entity has no such "
                    + "property.", property: key, objectID: objectID)
        }
        guard property.isStoredInColumn else {
            throw PropertyError(
                .wrongKind,
                "Can't read the writes of \(entity.name).\(key) because it is no stored attribute "
                    + "or to-one relationship.", property: key, objectID: objectID)
        }
        return try coordinator.store.read { reader in
            try reader.heldWrites(of: property.wireProperty, objectID.localID, entity)
        }
    }
}
