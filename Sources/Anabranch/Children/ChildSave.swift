import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What a context hands over to the one above it.
struct ChildSave: Sendable {
    /// What would go to the store.
    let request: SaveRequest
    /// What would not: values that are not stored, of inserted objects all.
    let transients: [Transient]
    /// What others that look at the parent have to look at again.
    let records: ChangedRecords

    struct Transient: Sendable {
        let record: LocalID
        let entity: EntityDescription
        let slot: Int
        let value: Value
    }

    init(_ builder: SaveBuilder) {
        request = builder.request
        records = builder.changedRecords([:])
        var transients: [Transient] = []
        for object in builder.inserted { transients += object.transients(writtenOnly: false) }
        for object in builder.updated.joined() { transients += object.transients() }
        for object in builder.untouched { transients += object.transients() }
        self.transients = transients
    }
}

extension ManagedObject {
    fileprivate final func transients(writtenOnly: Bool = true) -> [ChildSave.Transient] {
        guard flags.contains(.hasRow) else { return [] }
        return home.plan.transientSlots.compactMap { slot in
            guard !writtenOnly || isChangedSinceCommit(slot) else { return nil }
            return .init(record: localID, entity: entity, slot: slot, value: slots[slot])
        }
    }
}
