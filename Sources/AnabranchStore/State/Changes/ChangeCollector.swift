import AnabranchModel
import AnabranchReplication

/// Collects the changes that a page makes to records.
struct ChangeCollector {
    private var inserted: [Int: [LocalID]] = [:]
    private var updated: [Int: [LocalID: SlotSet]] = [:]
    private var deleted: [Int: Set<LocalID>] = [:]
    private var renamed: [LocalID: LocalID] = [:]
    /// Records with only a changed inverse of a reference. Their entity is the relationship's
    /// destination or a sub-entity of it.
    private var targets: [RelationshipDescription: Set<LocalID>] = [:]

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && renamed.isEmpty
            && targets.isEmpty
    }

    mutating func addInserted(_ ids: [LocalID], of entity: EntityDescription) {
        var ids = ids
        if let gone = deleted[entity.index] {
            // This is another record, under the ID of a record that the same page has renamed.
            for id in ids where gone.contains(id) {
                deleted[entity.index]?.remove(id)
                addUpdated(id, of: entity, slots: SlotSet(entity.slots.indices))
            }
            ids.removeAll(where: gone.contains)
        }
        inserted[entity.index, default: []].append(contentsOf: ids)
    }

    mutating func addUpdated(_ id: LocalID, of entity: EntityDescription, slots: SlotSet) {
        updated[entity.index, default: [:]][id, default: []].formUnion(slots)
    }

    mutating func addDeleted(_ id: LocalID, of entity: EntityDescription) {
        deleted[entity.index, default: []].insert(id)
    }

    /// Removes everything collected about records that were merged duplicates.
    mutating func forget(_ ids: Set<LocalID>) {
        guard !ids.isEmpty else { return }
        for entity in inserted.keys { inserted[entity]?.removeAll(where: ids.contains) }
        for entity in updated.keys {
            for id in ids { updated[entity]?[id] = nil }
        }
        for entity in deleted.keys { deleted[entity]?.subtract(ids) }
    }

    mutating func formUnion(_ other: ChangeCollector) {
        for (entity, ids) in other.inserted {
            inserted[entity, default: []].append(contentsOf: ids)
        }
        for (entity, records) in other.updated {
            updated[entity, default: [:]].merge(records) { $0.union($1) }
        }
        deleted.merge(other.deleted) { $0.union($1) }
        renamed.merge(other.renamed) { _, new in new }
        targets.merge(other.targets) { $0.union($1) }
    }

    /// Adds renamed records: the old IDs are also collected as deleted, and the new ones as
    /// inserted.
    mutating func addRenamed(_ names: [LocalID: LocalID]) {
        renamed.merge(names) { _, new in new }
    }

    mutating func addInverse(of column: TableLayout.Column, target: PropertyValue) {
        guard case .integer(let id) = target, let inverse = column.property.relationship?.inverse
        else { return }
        targets[inverse, default: []].insert(id)
    }

    /// Adds both ends of a link that begins or ceases to show, or moves.
    mutating func addEnds(
        _ left: LocalID, _ right: LocalID, of layout: LinkLayout, _ reader: StoreReader
    ) throws {
        let relationship = layout.relationship
        if let entity = try reader.entity(of: left, in: relationship.entity) {
            addUpdated(left, of: entity, slots: [relationship.slot])
        }
        guard let inverse = relationship.inverse else { return }
        if let entity = try reader.entity(of: right, in: inverse.entity) {
            addUpdated(right, of: entity, slots: [inverse.slot])
        }
    }

    /// Adds the records with relationships that change when a row is inserted or deleted: those
    /// that it references, those that reference it, and those that are linked with it.
    mutating func addNeighbours(of row: HeldRow, _ reader: StoreReader) throws {
        for column in row.layout.columns where column.kind == .reference {
            addInverse(of: column, target: try row.value(of: column, on: reader.connection))
        }
        for relationship in row.layout.entity.relationships {
            guard relationship.storage != .reference, let inverse = relationship.inverse else {
                continue
            }
            for related in try reader.related(by: relationship, of: [row.id]) {
                addUpdated(related.id, of: related.entity, slots: [inverse.slot])
            }
        }
    }

    /// The collected changes, with one entry for each record. A record that the page inserts and
    /// deletes is left out. A record that it inserts or deletes is not reported as updated.
    ///
    /// - Parameter reader: Reads the state after the page.
    func collected(_ reader: StoreReader) throws -> ChangedRecords {
        let schema = reader.schema
        let isMixed = !updated.isEmpty || !deleted.isEmpty || !targets.isEmpty
        let inserted = isMixed ? self.inserted.mapValues(Set.init) : [:]
        let new = Set(inserted.values.joined()).union(deleted.values.joined())
        let updated = self.updated.merging(try targetUpdates(reader, except: new)) {
            first, second in first.merging(second) { $0.union($1) }
        }
        let touched = Set(self.inserted.keys).union(updated.keys).union(deleted.keys).sorted()
        return ChangedRecords(
            entities: touched.map { index in
                var changes = ChangedRecords.Entity(schema.model.entities[index])
                let deleted = deleted[index] ?? []
                changes.inserted = (self.inserted[index] ?? []).filter { !deleted.contains($0) }
                changes.deleted = deleted.subtracting(inserted[index] ?? []).sorted()
                changes.updated = grouped((updated[index] ?? [:]).filter { !new.contains($0.key) })
                return changes
            }, renamed: renamed)
    }

    private func grouped(_ updated: [LocalID: SlotSet]) -> [ChangedRecords.Update] {
        var groups: [SlotSet: [LocalID]] = [:]
        for (id, slots) in updated { groups[slots, default: []].append(id) }
        return groups.sorted { $0.key < $1.key }.map { slots, ids in
            ChangedRecords.Update(ids: ids.sorted(), slots: slots)
        }
    }

    /// The updates of targets under their own entities. Targets that do not exist are left out.
    private func targetUpdates(
        _ reader: StoreReader, except known: Set<LocalID>
    ) throws -> [Int: [LocalID: SlotSet]] {
        var updates: [Int: [LocalID: SlotSet]] = [:]
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
