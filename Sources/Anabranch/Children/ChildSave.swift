import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What a context hands over to the one above it.
struct ChildSave: Sendable {
    /// What would go to the store.
    let request: SaveRequest
    /// What would not: values that are not stored, of inserted objects all.
    let transients: [Transient]
    /// By record and slot, what was added to counters: to what the parent counts meanwhile.
    let counted: [LocalID: [Int: Value]]
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
        builder.inserted.forEach { transients += $0.transients(writtenOnly: false) }
        for group in builder.updated { group.forEach { transients += $0.transients() } }
        builder.untouched.forEach { transients += $0.transients() }
        self.transients = transients
        counted = Self.counted(by: builder)
    }

    private static func counted(by builder: SaveBuilder) -> [LocalID: [Int: Value]] {
        var counted: [LocalID: [Int: Value]] = [:]
        for (update, objects) in zip(builder.request.updates, builder.updated) {
            let counters = update.rows.slots.filter {
                update.entity.slots[$0].wireProperty.rule == .counter
            }
            guard !counters.isEmpty else { continue }
            objects.forEach { object in
                for slot in counters {
                    counted[object.localID, default: [:]][slot] = object.delta(inSlot: slot)
                }
            }
        }
        return counted
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
