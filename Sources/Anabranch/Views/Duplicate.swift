import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// An object that shows several records, because they were given one unique key by writers who did
/// not know of each other.
///
/// The object is that of the smallest identity, and each of its properties is the merge of all
/// records. References and links to any of them lead to it. What is written to it goes to it alone,
/// but for a key, which goes to every record, and so does a delete. Where a key is changed by
/// someone who knew only one of the records, that record is an object of its own again, with what
/// was written to it.
public struct Duplicate: Hashable, Sendable {
    public let objectID: ManagedObjectID
    /// The records that the object shows beside its own, in ascending order.
    public let others: [RecordID]
}

extension ManagedObjectContext {
    /// The objects that show several records, as the store was saved last.
    ///
    /// - Parameters:
    ///   - entityName: Of the objects, sub-entities included; `nil`: of all entities.
    ///   - limit: At most so many; zero: all.
    ///   - offset: How many to leave out before. The order is by root entity, then by ID, so pages
    ///     fit together while nothing is saved between them.
    /// - Throws: ``PropertyError`` for an unknown entity; ``StoreError``.
    public func duplicates(
        of entityName: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> [Duplicate] {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.duplicates(
                of: entity, limit: limit > 0 ? limit : nil, offset: max(offset, 0)
            ).map { row in
                Duplicate(
                    objectID: ManagedObjectID(
                        origin: origin, entity: row.entity, localID: row.id),
                    others: row.others)
            }
        }
    }

    /// How many objects show several records; reads none of them.
    ///
    /// - Parameter entityName: Of the objects, sub-entities included; `nil`: of all entities.
    /// - Throws: As ``duplicates(of:limit:offset:)``.
    public func duplicateCount(of entityName: String? = nil) throws -> Int {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        return try coordinator.store.read { try $0.duplicateCount(of: entity) }
    }
}
