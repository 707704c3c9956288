import AnabranchModel
import AnabranchStore

// What a context shows to those below it: its objects as they are now, unsaved changes included.
extension ManagedObjectContext {
    /// The objects of records, in the order of the IDs; those that are deleted or gone left out.
    func lentRows(of entity: EntityDescription, ids: [LocalID]) throws -> [LentRow] {
        try objects(listed: ids, of: entity)
            .filter { !$0.flags.contains(.deleted) && $0.entity.isKind(of: entity) }
            .map(LentRow.init)
    }

    func lentRows(_ query: FetchQuery, includingPending: Bool) throws -> [LentRow] {
        try fetch(FetchPlan(query), includingPending: includingPending).map(LentRow.init)
    }

    func lentIDs(_ query: FetchQuery, includingPending: Bool) throws -> [ManagedObjectID] {
        try objectIDs(FetchPlan(query), includingPending: includingPending)
    }

    func lentCount(_ query: FetchQuery, includingPending: Bool) throws -> Int {
        try count(FetchPlan(query), includingPending: includingPending)
    }

    /// - Returns: By owner, of a list in its order.
    func lentRelated(
        by relationship: RelationshipDescription, of owners: [LocalID]
    ) throws -> [LocalID: [LocalID]] {
        let objects = try objects(owners, of: relationship.entity)
        try loadMissing(relationship, of: objects)
        var related: [LocalID: [LocalID]] = [:]
        for object in objects {
            related[object.localID] = try listedMembers(of: object, by: relationship)
        }
        return related
    }
}
