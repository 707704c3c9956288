public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// An object whose parent somebody deleted who did not know of it.
///
/// The inverse's delete rule is cascade: had the deleter known of the object, it would be gone too.
/// It is kept, and its reference reads nil. Give it another parent, or delete it. Where the parent
/// lives again, because an update won against the delete, it has its orphans back.
public struct Orphan: Hashable, Sendable {
    public let objectID: ManagedObjectID
    /// The to-one that led to the parent.
    public let relationship: RelationshipDescription
    /// The record that is not there any more.
    public let parent: RecordID

    public var entity: EntityDescription { objectID.entity }
}

extension ManagedObjectContext {
    /// The orphans that the store has, as it was saved last.
    ///
    /// - Parameters:
    ///   - entityName: Of the orphans, sub-entities included; `nil`: of all entities.
    ///   - limit: At most so many; zero: all.
    ///   - offset: How many to leave out before. The order is by relationship, then by ID, so pages
    ///     fit together while nothing is saved between them.
    /// - Throws: ``PropertyError`` for an unknown entity; ``StoreError``.
    public func orphans(
        of entityName: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> [Orphan] {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.orphans(
                of: entity, limit: limit > 0 ? limit : nil, offset: max(offset, 0)
            ).map { row in
                Orphan(
                    objectID: ManagedObjectID(
                        origin: origin, entity: row.entity, localID: row.id),
                    relationship: row.relationship, parent: row.parent)
            }
        }
    }

    /// How many orphans there are; reads none of them.
    ///
    /// - Parameter entityName: Of the orphans, sub-entities included; `nil`: of all entities.
    /// - Throws: As ``orphans(of:limit:offset:)``.
    public func orphanCount(of entityName: String? = nil) throws -> Int {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        return try coordinator.store.read { try $0.orphanCount(of: entity) }
    }
}
