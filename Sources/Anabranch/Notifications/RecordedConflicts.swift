public import AnabranchStore

/// The entries that one page of remote changes, or one save, has added to the conflict journal,
/// and the objects that do not show everything that is held for them since then.
public struct RecordedConflicts: Sendable {
    /// The entries, in the order in which they were recorded.
    public let ids: [ConflictEntry.ID]
    /// The objects that lost a value, each once. Objects of entities that the model does not know
    /// are left out.
    public let objectIDs: ObjectIDList
    /// The objects from which the page lets a view rule hide a value, each once: a reference that a
    /// later one hides, a value of a record that shows as one with another, or a second value under
    /// `keepBoth`. Nothing of these was discarded, so the journal has no entry of them;
    /// ``ManagedObjectContext/hiddenWrites(of:)`` has the values. A loaded snapshot lists none.
    public let hidingObjectIDs: ObjectIDList

    /// The number of entries; zero if a view rule hides something and nothing was discarded.
    public var count: Int { ids.count }

    init(_ conflicts: [RecordedConflict], hiding: [HidingRecord] = [], origin: StoreOrigin) {
        hidingObjectIDs = ObjectIDList(
            origin,
            hiding.map {
                ObjectIDList.Item(
                    id: $0.id, entityIndex: Int32(truncatingIfNeeded: $0.entity.index))
            })
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
