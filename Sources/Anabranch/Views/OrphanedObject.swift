public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// An object that lost its parent because another replica deleted the parent without having seen
/// the object.
///
/// The inverse relationship's delete rule is cascade: if the deleting replica had seen the object,
/// it would have deleted it too. The object is kept, and its reference to the parent reads nil.
/// Give it another parent or delete it. If the parent is restored because a concurrent update wins
/// against the delete, the object is its child again.
public struct OrphanedObject: Hashable, Sendable {
    /// The ID of the orphan.
    public let objectID: ManagedObjectID
    /// The to-one relationship that pointed to the parent.
    public let relationship: RelationshipDescription
    /// The deleted record.
    public let parent: RecordID

    /// The orphan's entity.
    public var entity: EntityDescription { objectID.entity }
}

extension ManagedObjectContext {
    /// Returns the orphans, by the last saved state of the store.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the orphans, including its sub-entities; `nil` for all
    ///     entities.
    ///   - limit: The greatest number of orphans; zero for all.
    ///   - offset: The number of orphans to skip. The order is by relationship, then by ID, and so
    ///     consecutive pages are consistent as long as nothing is saved between them.
    /// - Throws: ``PropertyError`` for an unknown entity; `StoreError`.
    public func orphans(
        of entityName: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> [OrphanedObject] {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.orphans(
                of: entity, limit: limit > 0 ? limit : nil, offset: max(offset, 0)
            ).map { row in
                OrphanedObject(
                    objectID: ManagedObjectID(origin: origin, entity: row.entity, localID: row.id),
                    relationship: row.relationship, parent: row.parent)
            }
        }
    }

    /// Returns the number of orphans, without reading them.
    ///
    /// - Parameter entityName: The entity of the orphans, including its sub-entities; `nil` for
    ///   all entities.
    /// - Throws: The errors of ``orphans(of:limit:offset:)``.
    public func orphanCount(of entityName: String? = nil) throws -> Int {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        return try coordinator.store.read { try $0.orphanCount(of: entity) }
    }
}
