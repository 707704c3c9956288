import AnabranchModel
import AnabranchSQLite

extension StoreReader {
    /// Adds the effects on derived attributes to changes: their slots in changed records, and the
    /// records that depend on these.
    package func withDerived(_ changes: ChangedRecords) throws -> ChangedRecords {
        let dependencies = schema.dependencies
        guard !dependencies.isEmpty else { return changes }
        var others: [Int: [LocalID: SlotSet]] = [:]
        for path in dependencies.paths {
            let ids = try concerned(by: changes, through: path)
            for (index, id) in try located(ids, in: path.attribute.entity) {
                others[index, default: [:]][id, default: []].insert(path.attribute.slot)
            }
        }
        var entities = changes.entities
        for place in entities.indices {
            let index = entities[place].entity.index
            entities[place].addOwn(dependencies.own[index])
            if let more = others.removeValue(forKey: index) { entities[place].add(more) }
        }
        for (index, more) in others.sorted(by: { $0.key < $1.key }) {
            var entity = ChangedRecords.Entity(schema.model.entities[index])
            entity.add(more)
            entities.append(entity)
        }
        var result = changes
        result.entities = entities.sorted { $0.entity.index < $1.entity.index }
        return result
    }

    /// The owners of changed objects at the end of a path.
    private func concerned(
        by changes: ChangedRecords, through path: DerivedDependencies.Path
    ) throws -> [LocalID] {
        var ids: [LocalID] = []
        for changed in changes.entities where changed.entity.isKind(of: path.destination) {
            ids += changed.inserted + changed.deleted
            for update in changed.updated where update.slots.contains(path.slot) {
                ids += update.ids
            }
        }
        for step in path.steps.reversed() where !ids.isEmpty {
            ids = try owners(of: ids, by: step)
        }
        return ids
    }

    private func owners(
        of ids: [LocalID], by relationship: RelationshipDescription
    ) throws -> [LocalID] {
        let table = schema.table(for: relationship.destination)
        switch relationship.storage {
        case .memory: return []
        case .reference:
            let column = schema.column(for: .relationship(relationship))
            return try identifiers(
                "SELECT ab_pk FROM \(schema.table(for: relationship.entity)) "
                    + "WHERE \(column) IN (SELECT value FROM json_each(?1))", ids)
        case .inverseReference:
            guard let inverse = relationship.inverse else { return [] }
            let column = schema.column(for: .relationship(inverse))
            return try identifiers(
                "SELECT DISTINCT \(column) FROM \(table) WHERE \(column) IS NOT NULL "
                    + "AND ab_pk IN (SELECT value FROM json_each(?1))", ids)
        case .links(let side):
            let links = schema.linkTable(for: relationship)
            func ends(_ own: String, _ other: String) -> String {
                "SELECT \(own) FROM \(links.name) WHERE \(other) IN "
                    + "(SELECT value FROM json_each(?1))"
            }
            let forward = ends(links.ownColumn, links.otherColumn)
            guard side == .both else { return try identifiers(forward, ids) }
            return try identifiers(
                forward + " UNION " + ends(links.otherColumn, links.ownColumn), ids)
        }
    }

    private func identifiers(_ sql: String, _ ids: [LocalID]) throws -> [LocalID] {
        try connection.cached(sql, SQL.json(ids)).map { $0.int64(at: 0) }
    }

    /// The records that exist, each with the index of its entity.
    private func located(
        _ ids: [LocalID], in entity: EntityDescription
    ) throws -> [(entity: Int, id: LocalID)] {
        guard schema.layout(of: entity).table.hasDiscriminator else {
            return ids.map { (entity.index, $0) }
        }
        return try ids.compactMap { id in
            try self.entity(of: id, in: entity).flatMap {
                $0.isKind(of: entity) ? ($0.index, id) : nil
            }
        }
    }
}

extension ChangedRecords.Entity {
    /// Adds the derived attributes that depend on changed slots of the same records.
    fileprivate mutating func addOwn(_ dependencies: [DerivedDependencies.OwnDependency]) {
        for place in updated.indices {
            for own in dependencies where updated[place].slots.intersects(own.sources) {
                updated[place].slots.insert(own.slot)
            }
        }
    }

    /// Adds changes.
    ///
    /// - Parameter more: The additional changed slots by record.
    fileprivate mutating func add(_ more: [LocalID: SlotSet]) {
        let gone = Set(inserted).union(deleted)
        var slots = more.filter { !gone.contains($0.key) }
        for update in updated {
            for id in update.ids { slots[id, default: []].formUnion(update.slots) }
        }
        var groups: [SlotSet: [LocalID]] = [:]
        for (id, slots) in slots { groups[slots, default: []].append(id) }
        updated = groups.sorted { $0.key < $1.key }.map { slots, ids in
            ChangedRecords.Update(ids: ids.sorted(), slots: slots)
        }
    }
}
