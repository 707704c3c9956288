public import AnabranchStore

/// The entries that one page of remote changes, or one save, has added to the conflict journal.
public struct RecordedConflicts: Sendable {
    /// The entries, in the order in which they were recorded.
    public let ids: [Conflict.ID]
    /// The objects that lost a value, each once. Objects of entities that the model does not know
    /// are left out.
    public let objectIDs: ObjectIDList

    /// The number of entries.
    public var count: Int { ids.count }

    init(_ conflicts: [RecordedConflict], origin: StoreOrigin) {
        ids = conflicts.map(\.id)
        var known: Set<Int64> = []
        objectIDs = ObjectIDList(
            origin,
            conflicts.compactMap { conflict in
                guard let entity = conflict.entity, known.insert(conflict.record).inserted else {
                    return nil
                }
                return ObjectIDList.Item(
                    id: conflict.record, entityIndex: Int32(truncatingIfNeeded: entity.index))
            })
    }
}
