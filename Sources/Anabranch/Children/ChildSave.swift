import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What a context hands over to the one above it.
struct ChildSave: Sendable {
    /// What would go to the store.
    let request: SaveRequest
    /// What would not: values that are not stored, of inserted objects all.
    let transients: [Transient]
    /// Members that were added to and removed from transient relationships.
    let transientLinks: [SaveRequest.LinkChange]
    /// Transient lists in which something was added or moved.
    let transientLists: [SaveRequest.ListChange]
    /// By record and slot, what was added to counters: to what the parent counts meanwhile.
    let counted: [LocalID: [Int: PropertyValue]]
    /// The stored values that the child has read of what it changes and deletes.
    let seen: [SeenRows]
    /// By record and slot, the edits that the child has laid over values that it had not seen.
    let overlaid: [LocalID: [Int: OverlaidEdits.Base]]
    /// What others that look at the parent have to look at again.
    let records: ChangedRecords

    struct SeenRows: Sendable {
        var values: SlotTable
        var versions: [RowVersion] = []
    }

    struct Transient: Sendable {
        let record: LocalID
        let entity: EntityDescription
        let slot: Int
        let value: PropertyValue
    }
}
