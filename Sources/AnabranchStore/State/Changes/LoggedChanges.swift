import AnabranchModel
import AnabranchReplication

/// Collects the records that saves of the history name, without their values.
struct LoggedChanges {
    private let reader: StoreReader
    private let replicas: ReplicaTable
    private var extent = ChangedRecords.Extent.complete
    private var changes = ChangeCollector()
    /// The number of records so far; one that several saves name counts several times.
    private(set) var count = 0

    private var schema: StoreSchema { reader.schema }

    init(_ reader: StoreReader) throws {
        self.reader = reader
        replicas = try reader.replicas()
    }

    /// Adds the records of a change set. What a later version of the model or of the format has
    /// written is left out.
    mutating func add(_ set: ChangeSet) throws {
        guard set.kind.isSave else { return }
        do {
            try set.forEachBlock(PartTable(reader.connection)) { try add($0) }
        } catch is ChangeSetDecodingError {
            extent = .unknown
        }
    }

    /// Adds the records of a save that are kept in this store only.
    mutating func add(_ save: UnsyncedSave) {
        for change in save.changes {
            count += change.ids.count
            switch change.kind {
            case .insert: changes.addInserted(change.ids, of: change.entity)
            case .delete: addDeleted(change.ids, of: change.entity)
            case .update:
                let properties = change.properties.compactMap {
                    change.entity.property(named: $0)
                }
                add(change.ids, of: change.entity, properties)
            }
        }
    }

    private mutating func add(_ block: ChangeBlock) throws {
        switch block {
        case .insert(let rows):
            guard let entity = entity(rows.entity) else { return }
            changes.addInserted(localIDs(rows.records), of: entity)
        case .update(let rows), .add(let rows):
            guard let entity = entity(rows.entity) else { return }
            let properties = rows.properties.flatMap { Self.properties(of: $0, entity) }
            add(localIDs(rows.records), of: entity, properties)
        case .write(let block):
            guard let entity = entity(block.entity) else { return }
            add(
                localIDs(block.writes.map(\.record)), of: entity,
                Self.properties(of: block.property, entity))
        case .delete(let block):
            guard let entity = entity(block.entity) else { return }
            addDeleted(localIDs(block.records), of: entity)
        case .yieldingDelete(let block):
            guard let entity = entity(block.entity) else { return }
            addDeleted(localIDs(block.deletes.map(\.record)), of: entity)
        case .link(let block), .unlink(let block), .move(let block): try add(block)
        case .unknown: break
        }
    }

    private mutating func add(_ block: LinkBlock) throws {
        guard let entity = entity(block.entity),
            let layout = schema.links(of: entity, property: block.property)
        else { return }
        for link in block.links {
            guard let left = replicas.localID(of: link.left),
                let right = replicas.localID(of: link.right)
            else { continue }
            count += 2
            try changes.addEnds(left, right, of: layout, reader)
        }
    }

    private mutating func add(
        _ ids: [LocalID], of entity: EntityDescription, _ properties: [PropertyDescription]
    ) {
        count += ids.count
        if properties.contains(where: \.isRelationship) { addFormerEnds() }
        let slots = properties.reduce(into: SlotSet()) { $0.insert($1.slot) }
        for id in ids { changes.addUpdated(id, of: entity, slots: slots) }
    }

    private mutating func addDeleted(_ ids: [LocalID], of entity: EntityDescription) {
        if !ids.isEmpty, !entity.relationships.isEmpty { addFormerEnds() }
        for id in ids { changes.addDeleted(id, of: entity) }
    }

    /// Registers that relationships may have lost ends.
    ///
    /// The history has the new target of a reference, and not the former one. So the records that
    /// a derived attribute of the former target concerns are not known.
    private mutating func addFormerEnds() {
        extent = max(extent, schema.dependencies.isEmpty ? .withoutFormerEnds : .unknown)
    }

    private mutating func localIDs(_ records: [RecordID]) -> [LocalID] {
        count += records.count
        return records.compactMap(replicas.localID(of:))
    }

    private func entity(_ name: WireName) -> EntityDescription? {
        schema.model.entity(wireName: name).flatMap { $0.isSynced ? $0 : nil }
    }

    /// The properties of the model that a wire property writes: of an attribute group all members.
    private static func properties(
        of property: WireProperty, _ entity: EntityDescription
    ) -> [PropertyDescription] {
        if let group = entity.attributeGroup(property) {
            return group.members.map { .attribute($0.attribute) }
        }
        return entity.property(wireName: property.name).map { [$0] } ?? []
    }

    /// The changed records, with the derived attributes that depend on them.
    func collected() throws -> ChangedRecords {
        var collected = try reader.withDerived(try changes.collected(reader))
        collected.extent = extent
        return collected
    }
}

extension PropertyDescription {
    fileprivate var isRelationship: Bool {
        if case .relationship = self { true } else { false }
    }
}
