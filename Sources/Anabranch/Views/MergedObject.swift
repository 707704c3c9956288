import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// An object that shows several records with the same unique key, which different replicas saved
/// concurrently.
///
/// The object is the surviving record, the one with the smallest identity. Each of its properties
/// is the merge of all the records, and references and links to any of them point to it. A change
/// of the object is written to the surviving record only, except that a change of a key and a
/// deletion are written to every record. A replica that holds only one of the records can change
/// that record's key. The record then becomes an object of its own again, with the values that
/// were written to it.
public struct MergedObject: Hashable, Sendable {
    /// One of the records that the object shows.
    public struct Member: Hashable, Sendable {
        /// The record.
        public let record: RecordID
        /// The values of the record that differ from those that the object shows, with their
        /// authors and times.
        public let hiddenWrites: [HiddenWrite]
    }

    /// The ID of the surviving record.
    public let objectID: ManagedObjectID
    /// The records, including the surviving record, in ascending order.
    public let members: [Member]
    /// The merged duplicates, in ascending order.
    public let mergedDuplicates: [RecordID]

    init(_ row: DuplicateRow, origin: StoreOrigin) {
        objectID = ManagedObjectID(origin: origin, entity: row.entity, localID: row.id)
        let hidden = row.hidden.map { HiddenWrite($0, origin: origin) }
        members = row.members.map { record in
            Member(record: record, hiddenWrites: hidden.filter { $0.held.record == record })
        }
        // The surviving record is the one with the smallest identity.
        mergedDuplicates = Array(row.members.dropFirst())
    }
}

extension ManagedObjectContext {
    /// Returns the objects that show several records, by the last saved state of the store.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the objects, including its sub-entities; `nil` for all
    ///     entities.
    ///   - limit: The greatest number of objects; zero for all.
    ///   - offset: The number of objects to skip. The order is by root entity, then by ID, and so
    ///     consecutive pages are consistent as long as nothing is saved between them.
    /// - Throws: ``PropertyError`` for an unknown entity; `StoreError`.
    public func duplicates(
        of entityName: String? = nil, limit: Int = 0, offset: Int = 0
    ) throws -> [MergedObject] {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        let origin = coordinator.origin
        return try coordinator.store.read { reader in
            try reader.duplicates(
                of: entity, limit: limit > 0 ? limit : nil, offset: max(offset, 0)
            ).map { MergedObject($0, origin: origin) }
        }
    }

    /// Returns the number of objects that show several records, without reading them.
    ///
    /// - Parameter entityName: The entity of the objects, including its sub-entities; `nil` for
    ///   all entities.
    /// - Throws: The errors of ``duplicates(of:limit:offset:)``.
    public func duplicateCount(of entityName: String? = nil) throws -> Int {
        checkQueue()
        let entity = try entityName.map(entity(named:))
        return try coordinator.store.read { try $0.duplicateCount(of: entity) }
    }

    /// Returns the ID of the object that shows a record which was merged because another record has
    /// the same unique key.
    ///
    /// - Parameter objectID: The ID of an object of this store. If its record is a merged
    ///   duplicate, no object with this ID exists.
    /// - Returns: `nil` if the record is no merged duplicate.
    /// - Throws: `StoreError`.
    public func survivingObjectID(of objectID: ManagedObjectID) throws -> ManagedObjectID? {
        checkQueue()
        guard objectID.belongs(to: coordinator.origin),
            let visible = try coordinator.store.visibleID(of: objectID.recordID),
            visible != objectID.localID,
            let entity = try coordinator.store.read({
                try $0.entity(of: visible, in: objectID.entity.root)
            })
        else { return nil }
        return ManagedObjectID(origin: coordinator.origin, entity: entity, localID: visible)
    }
}
