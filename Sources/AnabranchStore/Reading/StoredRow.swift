package import AnabranchModel
package import AnabranchReplication

/// A row as an object takes it over.
package struct StoredRow {
    package let id: LocalID
    package let entity: EntityDescription
    package let version: RowVersion
    /// One for every slot of the entity. Stored attributes and stored to-one relationships are
    /// filled, the latter with the target's local ID, or null where the target is gone; all other
    /// slots are null.
    package let slots: [Value]
}
