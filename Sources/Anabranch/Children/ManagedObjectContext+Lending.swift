import AnabranchModel
import AnabranchStore

// What a context shows to those below it: its objects as they are now, unsaved changes included.
extension ManagedObjectContext {
    /// The objects of records, in the order of the IDs; those that are deleted or gone left out.
    func lentRows(of entity: EntityDescription, ids: [LocalID]) throws -> [RowCopy] {
        try objects(listed: ids, of: entity)
            .filter { !$0.flags.contains(.deleted) && $0.entity.isKind(of: entity) }
            .map(RowCopy.init)
    }

    func lentRows(_ query: FetchQuery, includingPending: Bool) throws -> [RowCopy] {
        try read(try fetch(FetchPlan(query), includingPending: includingPending))
            .map(RowCopy.init)
    }

    /// Brings the rows of those that have none: what was changed only at the other end of a
    /// relationship is found without having been read. Those that are gone are left out.
    private func read(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let unread = objects.filter { !$0.flags.contains(.hasRow) }
        guard !unread.isEmpty else { return objects }
        for (entity, group) in Dictionary(grouping: unread, by: \.entity) {
            _ = try self.objects(group.map(\.localID), of: entity)
        }
        return objects.filter { $0.flags.contains(.hasRow) }
    }

    func lentIDs(_ query: FetchQuery, includingPending: Bool) throws -> [ManagedObjectID] {
        try objectIDs(FetchPlan(query), includingPending: includingPending)
    }

    func lentCount(_ query: FetchQuery, includingPending: Bool) throws -> Int {
        try count(FetchPlan(query), includingPending: includingPending)
    }

    func lentRelated(
        by relationship: RelationshipDescription, of owners: [LocalID]
    ) throws -> RelatedMembers {
        let objects = try objects(owners, of: relationship.entity)
        try loadMissing(relationship, of: objects)
        var related = RelatedMembers()
        for object in objects {
            related.members[object.localID] = try listedMembers(of: object, by: relationship)
            guard let index = object.home.plan.relationIndex(of: relationship) else { continue }
            related.lentLinks[object.localID] = object.relations?.states[index].seen
        }
        return related
    }
}
