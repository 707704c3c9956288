import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ChildSave {
    init(_ builder: SaveBuilder, _ edits: OverlaidEdits) {
        request = builder.request
        records = builder.changedRecords([:])
        var transients: [Transient] = []
        builder.inserted.forEach { transients += $0.transients(writtenOnly: false) }
        for group in builder.updated { group.forEach { transients += $0.transients() } }
        builder.untouched.forEach { transients += $0.transients() }
        self.transients = transients
        let objects = builder.objects.filter { !$0.flags.contains(.deleted) }
        transientLinks = objects.flatMap { $0.linkChanges(isTransient: true) }
        transientLists = objects.flatMap { $0.listChanges(isTransient: true) }
        counted = Self.counted(by: builder)
        seen = Self.seen(by: builder)
        overlaid = edits.isEmpty ? [:] : edits.bases(of: builder.objects)
    }

    private static func seen(by builder: SaveBuilder) -> [SeenRows] {
        var all: [SeenRows] = []
        for (update, objects) in zip(builder.request.updates, builder.updated) {
            var rows = SeenRows(values: SlotTable(slots: update.rows.slots))
            objects.forEach { rows.append($0) }
            all.append(rows)
        }
        var deleted: [Int: SeenRows] = [:]
        builder.deleted.forEach { object in
            let entity = object.entity
            deleted[entity.index, default: .init(values: SlotTable(storedSlotsOf: entity))]
                .append(object)
        }
        return all + deleted.values
    }

    private static func counted(by builder: SaveBuilder) -> [LocalID: [Int: PropertyValue]] {
        var counted: [LocalID: [Int: PropertyValue]] = [:]
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

extension ChildSave.SeenRows {
    /// Adds the stored values that an object has read, if it has any.
    fileprivate mutating func append(_ object: ManagedObject) {
        guard object.flags.contains(.hasRow) else { return }
        versions.append(object.version)
        values.append(
            object.localID,
            object.committed.isEmpty ? object.slots.buffer : object.committed.buffer)
    }
}
