import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Records that hold one unique key show as one: the record with the smallest identity, with the
// merge of all.
extension ViewRules {
    /// Records in one table that are connected by equal keys.
    struct DuplicateSet {
        let root: EntityDescription
        var ids: [LocalID] = []
    }

    private struct Key: Hashable {
        let constraint: Int64
        let bytes: [UInt8]
    }

    var reader: StoreReader { StoreReader(connection, schema: schema) }

    /// Finds the records that hold equal keys and merges each duplicate set.
    ///
    /// - Throws: `constraintConflict` if a save would merge two records that were visible
    ///   separately.
    func applyKeyRule() throws {
        guard !candidates.isEmpty || !visibleBefore.isEmpty else { return }
        let sets = try duplicateSets()
        candidates = [:]
        let affected = Set(visibleBefore.keys).union(sets.flatMap(\.ids))
        guard !affected.isEmpty else { return }
        self.affected.formUnion(affected)
        try mergeDuplicates(sets)
        try showLinks(of: affected)
        try renewVersions()
        try prepareHolders()
    }

    /// Prepares the references to records that have a different surviving record than before.
    private func prepareHolders() throws {
        var changed: [LocalID] = []
        var shownBy: Set<LocalID> = []
        for id in affected {
            let (before, after) = (visibleBefore[id] ?? id, try mapped(id))
            guard before != after else { continue }
            changed.append(id)
            shownBy.formUnion([before, after])
        }
        guard !changed.isEmpty else { return }
        for viewColumn in schema.tables.flatMap(\.viewRuleColumns) where viewColumn.isRedirectable {
            try willChange(try hidden.holders(of: changed, viewColumn), viewColumn)
            if viewColumn.isExclusive { targets[viewColumn, default: []].formUnion(shownBy) }
        }
    }

    /// The sets of more than one record among the candidates and the records with which they
    /// share a key.
    private func duplicateSets() throws -> [DuplicateSet] {
        var seen: Set<LocalID> = []
        var found: [DuplicateSet] = []
        for (id, root) in try seeds() where !seen.contains(id) {
            var duplicates = DuplicateSet(root: root)
            // All holders of a key are found together, so it is searched once.
            var searched: Set<Key> = []
            var stack = [id]
            while let next = stack.popLast() {
                guard seen.insert(next).inserted, let entity = try reader.entity(of: next, in: root)
                else { continue }
                duplicates.ids.append(next)
                for constraint in schema.layout(of: entity).constraints {
                    guard let key = try key(of: next, constraint),
                        searched.insert(Key(constraint: constraint.number, bytes: key)).inserted
                    else { continue }
                    let others = try others(like: next, key, constraint)
                    if transaction.isSaving { try refuse(others, like: next, constraint) }
                    stack += others
                }
            }
            if duplicates.ids.count > 1 { found.append(duplicates) }
        }
        return found
    }

    /// The candidates that share a key according to SQL, or that share a key with an existing
    /// duplicate set.
    ///
    /// A store without duplicates finds none, with one statement for each constraint.
    private func seeds() throws -> [(id: LocalID, root: EntityDescription)] {
        var found: [LocalID: EntityDescription] = [:]
        for (root, ids) in candidates {
            let json = SQL.json(Array(ids))
            for constraint in schema.constraints where constraint.owner.root == root {
                for id in try sharing(json, constraint) { found[id] = root }
                guard !mergedDuplicates.isEmpty else { continue }
                for id in try joining(json, constraint) { found[id] = root }
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func sharing(_ json: String, _ constraint: UniqueConstraint) throws -> [LocalID] {
        try connection.cached(
            """
            SELECT t.ab_pk FROM json_each(?) j
            CROSS JOIN \(constraint.table) t ON t.ab_pk = j.value
            WHERE EXISTS (SELECT 1 FROM \(constraint.table) o
            WHERE \(constraint.equality("o", "t")) AND o.ab_pk <> t.ab_pk)
            """, json
        ).map { $0.int64(at: 0) }
    }

    private func joining(_ json: String, _ constraint: UniqueConstraint) throws -> [LocalID] {
        let statement = try connection.cached(
            """
            SELECT t.ab_pk, \(constraint.names("t")) FROM json_each(?) j
            CROSS JOIN \(constraint.table) t ON t.ab_pk = j.value
            """, json)
        var keys: [(id: LocalID, key: [UInt8])] = []
        while try statement.step() {
            guard let key = constraint.key(statement, at: 1) else { continue }
            keys.append((statement.int64(at: 0), key))
        }
        return try keys.filter { try mergedDuplicates.holder(of: $0.key, constraint) != nil }.map(
            \.id)
    }

    /// The records that hold the key of a record. Sets that hold it are separated first.
    private func others(
        like id: LocalID, _ key: [UInt8], _ constraint: UniqueConstraint
    ) throws -> [LocalID] {
        let statement = try connection.cached(
            """
            SELECT o.ab_pk, \(constraint.names("o"))
            FROM \(constraint.table) t JOIN \(constraint.table) o
            ON \(constraint.equality("o", "t")) WHERE t.ab_pk = ?
            \(reader.schema.restriction(to: constraint.owner, alias: "o", after: "AND"))
            """, id)
        var found: [LocalID] = []
        while try statement.step() {
            // SQL finds some keys equal although their bytes differ.
            if constraint.key(statement, at: 1) == key { found.append(statement.int64(at: 0)) }
        }
        found = try found.filter { try $0 != id && mergedDuplicates.visible(of: $0) == nil }
        while let member = try mergedDuplicates.holder(of: key, constraint),
            let visible = try mergedDuplicates.visible(of: member)
        {
            let members = try mergedDuplicates.members(of: visible)
            // Otherwise the member would be found again and again.
            guard members.contains(member) else {
                throw StoreError(
                    .corrupt,
                    "Can't separate merged duplicates because the surviving record of one of them "
                        + "is damaged. Restore a backup.", records: [member])
            }
            try separateDuplicates(members)
            found += members
        }
        return found
    }

    /// The key of a record; `nil` if the record does not exist or a part of its key is null.
    func key(of id: LocalID, _ constraint: UniqueConstraint) throws -> [UInt8]? {
        try connection.cached(
            "SELECT \(constraint.names("t")) FROM \(constraint.table) t WHERE t.ab_pk = ?", id
        ).first { constraint.key($0, at: 0) }
    }

    /// Gives each record that has left its set a version that no context has read, because its
    /// row showed the merge before. Rows that a save has written have their own version.
    private func renewVersions() throws {
        guard !transaction.isSaving else { return }
        let positions = try stampPositions()
        for id in visibleBefore.keys.sorted() where try mergedDuplicates.visible(of: id) == nil {
            guard let row = try heldRow(id) else { continue }
            var writes = row.writes
            writes.advance(to: RowVersion(positions.reserve()))
            let writer = try RowWriter(transaction, layout: row.layout)
            try writer.write([], writes: writes, to: id)
        }
        try positions.finish()
    }

    func stampPositions() throws -> StampPositions {
        try StampPositions(transaction.log, stamps: logStamps)
    }

    // MARK: - Saves

    /// True if two records showed as one when the transaction began.
    func wereOne(_ first: LocalID, _ second: LocalID) -> Bool {
        guard let visible = visibleBefore[first] else { return first == second }
        return visible == visibleBefore[second]
    }

    private func refuse(
        _ others: [LocalID], like id: LocalID, _ constraint: UniqueConstraint
    ) throws {
        guard let other = others.first(where: { !wereOne(id, $0) }) else { return }
        throw constraint.conflict(of: [visibleBefore[id] ?? id, visibleBefore[other] ?? other])
    }

    // MARK: - Changes

    /// Reports a new merged duplicate as deleted, and a record that has left its set as inserted.
    func collectDuplicateChanges(_ changes: inout ChangeCollector) throws {
        changes.formUnion(referenceChanges)
        let wereHidden = affected.filter { visibleBefore[$0, default: $0] != $0 }
        changes.forget(wereHidden)
        for id in affected {
            let wasShown = !wereHidden.contains(id)
            if try mergedDuplicates.visible(of: id).map({ $0 != id }) ?? false {
                if wasShown { try collectMergedDuplicate(id, &changes) }
                continue
            }
            guard let row = try heldRow(id) else { continue }
            let entity = row.layout.entity
            if wasShown {
                changes.addUpdated(id, of: entity, slots: SlotSet(entity.slots.indices))
            } else {
                changes.addInserted([id], of: entity)
            }
            try changes.addNeighbours(of: row, reader)
        }
    }

    private func collectMergedDuplicate(_ id: LocalID, _ changes: inout ChangeCollector) throws {
        guard let name = try transaction.deferred.entity(of: id),
            let entity = schema.model.entity(wireName: name)
        else { return }
        changes.addDeleted(id, of: entity)
        hiding[id] = entity
    }
}
