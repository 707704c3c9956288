import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Edits that an app made some saves ago and holds unsaved, while its context merges what comes.
///
/// Their save overwrites or deletes values that their author has not seen. The journal must have
/// each of them, and a context that treats them as conflicts must be refused.
struct HeldEdits {
    private struct UnseenValue {
        let id: LocalID
        let entity: EntityDescription
        let property: WireProperty
        let held: HeldWrite
        let isDeleted: Bool
    }

    private var unseen: [UnseenValue] = []

    var isEmpty: Bool { unseen.isEmpty }

    /// Makes the edits of a request older.
    ///
    /// - Parameter position: The position of the log that the author of the edits had seen.
    init(_ request: inout SaveRequest, since position: Int64, on store: Store) throws {
        let stamps = Set(
            try store.read { try $0.changeSets(after: position, limit: .max) }
                .map(\.changeSet.stamp))
        Self.age(&request.links, position)
        for update in request.updates {
            for id in update.rows.ids {
                request.seenVersions[id] = Self.versions(update.rows.slots, position)
                try add(update.rows.slots, of: id, update.entity, false, stamps, store)
            }
        }
        for delete in request.deletes {
            let slots = Array(delete.entity.slots.indices)
            for row in delete.rows {
                request.seenVersions[row.id] = Self.versions(slots, position)
                let links = SeenLinks(RowVersion(position))
                request.seenLinks[row.id] = Dictionary(
                    uniqueKeysWithValues: slots.map { ($0, links) })
                try add(slots, of: row.id, delete.entity, true, stamps, store)
            }
        }
    }

    /// Makes the removals of links of a request older, as the other edits.
    private static func age(_ links: inout [SaveRequest.LinkChange], _ position: Int64) {
        for index in links.indices where !links[index].isAdded {
            links[index].seen = RowVersion(position)
        }
    }

    private static func versions(_ slots: [Int], _ position: Int64) -> [Int: RowVersion] {
        Dictionary(uniqueKeysWithValues: slots.map { ($0, RowVersion(position)) })
    }

    /// Notes the values that an edit discards. Other rules than `lastWriter`, attribute groups and
    /// merged duplicates are left out: what a save discards of them depends on more than one cell.
    private mutating func add(
        _ slots: [Int], of id: LocalID, _ entity: EntityDescription, _ isDeleted: Bool,
        _ stamps: Set<Stamp>, _ store: Store
    ) throws {
        let record = try store.recordID(of: id)
        for property in slots.map({ entity.slots[$0] }) where property.isPlainRegister {
            let held = try store.read {
                try $0.heldWrites(of: property.wireProperty, id, entity)
            }
            guard let shown = held.first, held.allSatisfy({ $0.record == record }),
                stamps.contains(shown.write.stamp)
            else { continue }
            unseen.append(
                UnseenValue(
                    id: id, entity: entity, property: property.wireProperty, held: shown,
                    isDeleted: isDeleted))
        }
    }

    /// Checks that the store refuses the request if unseen values are conflicts.
    ///
    /// - Parameter isRefusal: Returns true for another error for which a save may be refused.
    func checkRefusal(
        of request: SaveRequest, by store: Store, unless isRefusal: (StoreError) -> Bool
    ) throws {
        guard !isEmpty else { return }
        var refused = request
        refused.refusesUnseenValues = true
        do {
            _ = try store.save(refused)
        } catch let error as StoreError where error.code == .mergeConflict || isRefusal(error) {
            return
        }
        throw SimulationFailure("a save was not refused although it overwrites unseen values")
    }

    /// Checks that the journal has the values after the save.
    func check(in store: Store, _ place: String) throws {
        for value in unseen {
            if !value.isDeleted {
                let held = try store.read {
                    try $0.heldWrites(of: value.property, value.id, value.entity)
                }
                if held.first?.value == value.held.value { continue }
            }
            let journal = try store.conflicts(.record(value.held.record))
            let isNoted = journal.contains {
                $0.lost.stamp == value.held.write.stamp && $0.value == value.held.value
                    && $0.property.name == value.property.name
            }
            guard isNoted else {
                throw SimulationFailure(
                    "the journal of \(place) lacks \(value.held.value) of \(value.held.record), "
                        + "which a save has discarded without having seen it")
            }
        }
    }
}

extension PropertyDescription {
    fileprivate var isPlainRegister: Bool {
        guard wireProperty.rule == .lastWriter, !isTransient else { return false }
        switch self {
        case .attribute(let attribute): return attribute.group == nil && !attribute.isDerived
        case .relationship(let relationship): return relationship.storage == .reference
        }
    }
}
