import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Acyclic references. Every record has at most one, so no two cycles share a record. A cycle is cut
// at the reference that was written last.
extension ViewRules {
    /// The target of a record's reference, including a reference that cuts a cycle.
    private func edge(_ id: LocalID, _ ruled: RuledColumn) throws -> LocalID? {
        // A reference that was just restored may still point to a merged duplicate.
        if let shown = try shown(id, ruled) { return try mapped(shown) }
        guard let entry = try hidden.entry(of: id, ruled), entry.rule == .acyclic else {
            return nil
        }
        return try mapped(entry.target)
    }

    /// Prepares the change of a reference: if it is part of a cycle, the reference that cuts the
    /// cycle is shown again.
    func openCycle(through id: LocalID, _ ruled: RuledColumn) throws {
        guard !hidden.isEmpty else { return }
        var path = [id]
        var seen: Set<LocalID> = [id]
        while let next = try edge(path[path.count - 1], ruled) {
            if next == id { break }
            // This record only points to another cycle and is not part of it.
            guard seen.insert(next).inserted else { return }
            path.append(next)
        }
        guard try edge(path[path.count - 1], ruled) == id else { return }
        for member in path {
            guard let entry = try hidden.entry(of: member, ruled), entry.rule != .led else {
                continue
            }
            try show(entry, of: member, ruled)
            touched[ruled, default: []].insert(member)
        }
    }

    func settleCycles(_ ruled: RuledColumn) throws {
        for cycle in try cycles(through: touched[ruled] ?? [], ruled) { try cut(cycle, ruled) }
    }

    /// The cycles that contain some records or that these records point to, each cycle once.
    private func cycles(through ids: Set<LocalID>, _ ruled: RuledColumn) throws -> [[LocalID]] {
        var found: [[LocalID]] = []
        var cleared: Set<LocalID> = []
        let known = try edges(of: ids, ruled)
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
                next = try known[current] ?? edge(current, ruled)
            }
            cleared.formUnion(path)
        }
        return found
    }

    private func edges(
        of ids: Set<LocalID>, _ ruled: RuledColumn
    ) throws -> [LocalID: LocalID] {
        let statement = try connection.cached(
            """
            SELECT t.ab_pk, t.\(ruled.column.name) FROM json_each(?) j
            CROSS JOIN \(ruled.table) t ON t.ab_pk = j.value
            WHERE t.\(ruled.column.name) IS NOT NULL
            """)
        try statement.bind(StoreReader.json(Array(ids)), at: 1)
        var edges: [LocalID: LocalID] = [:]
        while try statement.step() { edges[statement.int64(at: 0)] = statement.int64(at: 1) }
        return edges
    }

    private func cut(_ cycle: [LocalID], _ ruled: RuledColumn) throws {
        if let own = saved[ruled].flatMap({ own in cycle.first(where: own.contains) }) {
            throw refusal(of: own, ruled)
        }
        let statement = try connection.cached(
            "SELECT ab_version, ab_writes FROM \(ruled.table) WHERE ab_pk = ?")
        var ranked: [(id: LocalID, rank: WriteRank)] = []
        for id in cycle {
            try statement.bind(id, at: 1)
            guard try statement.step() else { continue }
            ranked.append((id, try rank(of: id, statement.writes(at: 0), ruled)))
            statement.reset()
        }
        guard let last = ranked.max(by: { $0.rank < $1.rank })?.id else { return }
        for id in cycle where id != last {
            if let entry = try hidden.entry(of: id, ruled), entry.rule != .led {
                try show(entry, of: id, ruled)
            }
        }
        if let target = try shown(last, ruled) { try hide(target, of: last, ruled, by: .acyclic) }
    }

    func settleAllCycles(_ ruled: RuledColumn) throws {
        let statement = try connection.prepare(
            """
            SELECT ab_pk, \(ruled.column.name) FROM \(ruled.table)
            WHERE \(ruled.column.name) IS NOT NULL
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
        for cycle in try cycles(through: rest, ruled) { try cut(cycle, ruled) }
    }

    // MARK: - Saves

    /// References that were hidden when the app read them and that now close a cycle with the
    /// references the app saves. The app could not see them, so the save may proceed.
    func cutReferencesInTheWay() throws -> [(id: LocalID, ruled: RuledColumn)] {
        guard !saved.isEmpty, !hidden.isEmpty else { return [] }
        var found: [(LocalID, RuledColumn)] = []
        for (ruled, own) in saved {
            for cycle in try cycles(through: own, ruled)
            where !own.isDisjoint(with: cycle) {
                found += try cycle.filter { id in
                    guard !own.contains(id) else { return false }
                    if wasHidden(id, ruled) { return true }
                    return try hidden.entry(of: id, ruled).map { $0.rule != .led } ?? false
                }.map { ($0, ruled) }
            }
        }
        return found
    }

    private func refusal(of id: LocalID, _ ruled: RuledColumn) -> StoreError {
        let relationship = ruled.column.property.relationship
        let name = relationship?.name ?? ""
        let entity = relationship?.entity.name ?? ruled.root.name
        return StoreError(
            .cyclicReference,
            "Can't save because \(entity).\(name) of a record forms a cycle back to the same "
                + "record. Set it to another record, or to nil.", entity: entity, property: name,
            records: [id])
    }
}
