import AnabranchModel
import AnabranchReplication

/// Gathers what a page does to records, however often it touches one.
struct ChangeCollector {
    private var inserted: [Int: [LocalID]] = [:]
    private var updated: [Int: [LocalID: Set<Int>]] = [:]
    private var deleted: [Int: Set<LocalID>] = [:]
    /// Records of which only the inverse of somebody's reference has changed; their entity is
    /// the relationship's destination or below it.
    private var targets: [RelationshipDescription: Set<LocalID>] = [:]

    mutating func noteInserted(_ ids: [LocalID], of entity: EntityDescription) {
        inserted[entity.index, default: []].append(contentsOf: ids)
    }

    mutating func noteUpdated(_ id: LocalID, of entity: EntityDescription, slots: [Int]) {
        updated[entity.index, default: [:]][id, default: []].formUnion(slots)
    }

    mutating func noteDeleted(_ id: LocalID, of entity: EntityDescription) {
        deleted[entity.index, default: []].insert(id)
    }

    mutating func noteInverse(of column: TableLayout.Column, target: Value) {
        guard case .integer(let id) = target, let inverse = column.property.relationship?.inverse
        else { return }
        targets[inverse, default: []].insert(id)
    }

    /// One entry a record: what is both inserted and deleted in the page is neither, what is
    /// inserted or deleted is not updated.
    ///
    /// - Parameter reader: Of the state behind the page.
    func collected(_ reader: StoreReader) throws -> ChangedRecords {
        let schema = reader.schema
        let isMixed = !updated.isEmpty || !deleted.isEmpty || !targets.isEmpty
        let allInserted = isMixed ? Set(inserted.values.joined()) : []
        let allDeleted = Set(deleted.values.joined())
        let updated = self.updated.merging(
            try targetUpdates(reader, except: allInserted.union(allDeleted))
        ) { first, second in
            first.merging(second) { $0.union($1) }
        }
        let touched = Set(inserted.keys).union(updated.keys).union(deleted.keys).sorted()
        return ChangedRecords(
            entities: touched.map { index in
                var changes = ChangedRecords.Entity(schema.model.entities[index])
                changes.inserted = (inserted[index] ?? []).filter { !allDeleted.contains($0) }
                changes.deleted = (deleted[index] ?? []).subtracting(allInserted).sorted()
                changes.updated = (updated[index] ?? [:]).sorted { $0.key < $1.key }
                    .filter { !allInserted.contains($0.key) && !allDeleted.contains($0.key) }
                    .map { ChangedRecords.Update(id: $0.key, slots: $0.value) }
                return changes
            })
    }

    /// Targets under their own entities; those that are not there are nobody's inverse.
    private func targetUpdates(
        _ reader: StoreReader, except known: Set<LocalID>
    ) throws -> [Int: [LocalID: Set<Int>]] {
        var updates: [Int: [LocalID: Set<Int>]] = [:]
        for (relationship, ids) in targets {
            for id in ids where !known.contains(id) {
                guard let entity = try reader.entity(of: id, in: relationship.entity),
                    entity.isKind(of: relationship.entity)
                else { continue }
                updates[entity.index, default: [:]][id, default: []].insert(relationship.slot)
            }
        }
        return updates
    }
}
