import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Acyclic references. Every record has at most one, so no two cycles share a record. A cycle is cut
// at the reference that was written last.
extension ViewRules {
    /// The target of a record's reference, including a reference that cuts a cycle.
    private func edge(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws -> LocalID? {
        // A reference that was just restored may still point to a merged duplicate.
        if let shown = try shown(id, viewColumn) { return try mapped(shown) }
        guard let entry = try hidden.entry(of: id, viewColumn), entry.rule == .acyclic else {
            return nil
        }
        return try mapped(entry.target)
    }

    /// Prepares the change of a reference: if it is part of a cycle, the reference that cuts the
    /// cycle is shown again.
    func openCycle(through id: LocalID, _ viewColumn: ViewRuleColumn) throws {
        guard !hidden.isEmpty else { return }
        var path = [id]
        var seen: Set<LocalID> = [id]
        while let next = try edge(path[path.count - 1], viewColumn) {
            if next == id { break }
            // This record only points to another cycle and is not part of it.
            guard seen.insert(next).inserted else { return }
            path.append(next)
        }
        guard try edge(path[path.count - 1], viewColumn) == id else { return }
        for member in path {
            guard let entry = try hidden.entry(of: member, viewColumn), entry.rule != .redirected
            else {
                continue
            }
            try show(entry, of: member, viewColumn)
            touched[viewColumn, default: []].insert(member)
        }
    }

    func applyCycleRule(_ viewColumn: ViewRuleColumn) throws {
        for cycle in try cycles(through: touched[viewColumn] ?? [], viewColumn) {
            try cut(cycle, viewColumn)
        }
    }

    /// The cycles that contain some records or that these records point to, each cycle once.
    private func cycles(through ids: Set<LocalID>, _ viewColumn: ViewRuleColumn) throws
        -> [[LocalID]]
    {
        var found: [[LocalID]] = []
        var cleared: Set<LocalID> = []
        let known = try edges(of: ids, viewColumn)
        for id in ids where !cleared.contains(id) {
            var path: [LocalID] = []
            var places: [LocalID: Int] = [:]
            var next: LocalID? = id
            while let current = next, !cleared.contains(current) {
                if let place = places[current] {
                    found.append(Array(path[place...]))
                    break
                }
                places[current] = path.count
                path.append(current)
                next = try known[current] ?? edge(current, viewColumn)
            }
            cleared.formUnion(path)
        }
        return found
    }

    private func edges(
        of ids: Set<LocalID>, _ viewColumn: ViewRuleColumn
    ) throws -> [LocalID: LocalID] {
        let statement = try connection.cached(
            """
            SELECT t.ab_pk, t.\(viewColumn.column.name) FROM json_each(?) j
            CROSS JOIN \(viewColumn.table) t ON t.ab_pk = j.value
            WHERE t.\(viewColumn.column.name) IS NOT NULL
            """, SQL.json(Array(ids)))
        var edges: [LocalID: LocalID] = [:]
        while try statement.step() { edges[statement.int64(at: 0)] = statement.int64(at: 1) }
        return edges
    }

    private func cut(_ cycle: [LocalID], _ viewColumn: ViewRuleColumn) throws {
        if let own = saved[viewColumn].flatMap({ own in cycle.first(where: own.contains) }) {
            throw refusal(of: own, viewColumn)
        }
        let statement = try connection.cached(
            "SELECT ab_version, ab_writes FROM \(viewColumn.table) WHERE ab_pk = ?")
        var ranked: [(id: LocalID, rank: WriteRank)] = []
        for id in cycle {
            try statement.bind(id, at: 1)
            guard try statement.step() else { continue }
            ranked.append(
                (id, try rank(of: id, statement.writes(at: 0, viewColumn.added), viewColumn)))
            statement.reset()
        }
        guard let last = ranked.max(by: { $0.rank < $1.rank })?.id else { return }
        for id in cycle where id != last {
            if let entry = try hidden.entry(of: id, viewColumn), entry.rule != .redirected {
                try show(entry, of: id, viewColumn)
            }
        }
        if let target = try shown(last, viewColumn) {
            try hide(target, of: last, viewColumn, by: .acyclic)
        }
    }

    func applyCycleRuleToAll(_ viewColumn: ViewRuleColumn) throws {
        let statement = try connection.prepare(
            """
            SELECT ab_pk, \(viewColumn.column.name) FROM \(viewColumn.table)
            WHERE \(viewColumn.column.name) IS NOT NULL
            """)
        var edges: [LocalID: LocalID] = [:]
        while try statement.step() { edges[statement.int64(at: 0)] = statement.int64(at: 1) }
        // A record to which no reference points is in no cycle. If such records are removed
        // repeatedly, only cycles remain.
        var counts: [LocalID: Int] = [:]
        for target in edges.values { counts[target, default: 0] += 1 }
        var free = edges.keys.filter { counts[$0] == nil }
        while let id = free.popLast() {
            guard let target = edges.removeValue(forKey: id) else { continue }
            counts[target, default: 0] -= 1
            if counts[target] == 0, edges[target] != nil { free.append(target) }
        }
        let rest = Set(edges.keys)
        for cycle in try cycles(through: rest, viewColumn) { try cut(cycle, viewColumn) }
    }

    // MARK: - Saves

    /// References that were hidden when the app read them and that now close a cycle with the
    /// references the app saves. The app could not see them, so the save may proceed.
    func cutReferencesInTheWay() throws -> [(id: LocalID, viewColumn: ViewRuleColumn)] {
        guard !saved.isEmpty, !hidden.isEmpty else { return [] }
        var found: [(LocalID, ViewRuleColumn)] = []
        for (viewColumn, own) in saved {
            for cycle in try cycles(through: own, viewColumn)
            where !own.isDisjoint(with: cycle) {
                found += try cycle.filter { id in
                    guard !own.contains(id) else { return false }
                    if wasHidden(id, viewColumn) { return true }
                    return try hidden.entry(of: id, viewColumn).map { $0.rule != .redirected }
                        ?? false
                }.map { ($0, viewColumn) }
            }
        }
        return found
    }

    private func refusal(of id: LocalID, _ viewColumn: ViewRuleColumn) -> StoreError {
        let relationship = viewColumn.column.property.relationship
        let name = relationship?.name ?? ""
        let entity = relationship?.entity.name ?? viewColumn.root.name
        return StoreError(
            .cyclicReference,
            "Can't save because \(entity).\(name) of a record forms a cycle back to the same "
                + "record. Set it to another record, or to nil.", entity: entity, property: name,
            records: [id])
    }
}
