public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// A reference that an object holds and that reads nil, because two saves that had not seen each
/// other can't both show.
///
/// Either another object holds the target of a one-to-one by a later write, or the target of a
/// relationship that is its own inverse refers to another object, or the reference was the last
/// one among those that form a cycle. The reference shows again if the other one is changed.
public struct HiddenReference: Hashable, Sendable {
    /// The ID of the object that holds the reference.
    public let objectID: ManagedObjectID
    /// The to-one relationship that reads nil.
    public let relationship: RelationshipDescription
    /// The record that the reference points to.
    public let target: RecordID
}

extension ManagedObjectContext {
    /// Returns the references that are held and do not show, by the last saved state of the store.
    ///
    /// ``heldWrites(of:forKey:)`` tells the author and the time of each.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the holders, including its sub-entities; `nil` for all
    ///     entities.
    ///   - limit: The greatest number of references; zero for all.
    ///   - offset: The number of references to skip. The order is by relationship, then by ID.
    /// - Throws: ``PropertyError`` for an unknown entity; `StoreError`.
    public func hiddenReferences(
        of entityName: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> [HiddenReference] {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.hiddenReferences(
                of: entity, limit: limit > 0 ? limit : nil, offset: max(offset, 0)
            ).map { row in
                HiddenReference(
                    objectID: ManagedObjectID(
                        origin: origin, entity: row.entity, localID: row.id),
                    relationship: row.relationship, target: row.target)
            }
        }
    }
}
