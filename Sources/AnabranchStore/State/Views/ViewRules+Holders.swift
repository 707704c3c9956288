import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// One-to-one: of the records that hold one target, the one with the greatest stamp shows it.
extension ViewRules {
    private struct Holder {
        let id: LocalID
        let rank: WriteRank
        let isHidden: Bool
    }

    func applyHolderRule(_ viewColumn: ViewRuleColumn) throws {
        var contested = Set(try (targets[viewColumn] ?? []).map(mapped))
        contested.formUnion(try contestedTargets(of: touched[viewColumn] ?? [], viewColumn))
        for target in contested { try applyHolderRule(target, viewColumn) }
    }

    func applyHolderRuleToAll(_ viewColumn: ViewRuleColumn) throws {
        let name = viewColumn.column.name
        let statement = try connection.prepare(
            """
            SELECT \(name) FROM \(viewColumn.table) WHERE \(name) IS NOT NULL
            GROUP BY \(name) HAVING count(*) > 1
            """)
        var contested: [LocalID] = []
        while try statement.step() { contested.append(statement.int64(at: 0)) }
        for target in contested { try applyHolderRule(target, viewColumn) }
    }

    /// The targets of some records that other records also hold, visibly or hidden.
    private func contestedTargets(
        of ids: Set<LocalID>, _ viewColumn: ViewRuleColumn
    ) throws -> Set<LocalID> {
        guard !ids.isEmpty else { return [] }
        let name = viewColumn.column.name
        let others =
            hidden.isEmpty
            ? "" : "OR EXISTS (SELECT 1 FROM ab_hidden h WHERE \(isHeld("h.target", "t.\(name)")))"
        let statement = try connection.cached(
            """
            SELECT t.\(name) FROM json_each(?) j
            CROSS JOIN \(viewColumn.table) t ON t.ab_pk = j.value
            WHERE t.\(name) IS NOT NULL AND (EXISTS (SELECT 1 FROM \(viewColumn.table) o
            WHERE o.\(name) = t.\(name) AND o.ab_pk <> t.ab_pk) \(others))
            """, SQL.json(Array(ids)))
        var found: Set<LocalID> = []
        while try statement.step() { found.insert(statement.int64(at: 0)) }
        return found
    }

    private func applyHolderRule(_ target: LocalID, _ viewColumn: ViewRuleColumn) throws {
        let holders = try holders(of: target, viewColumn)
        guard let winner = holders.max(by: { $0.rank < $1.rank }) else { return }
        for holder in holders {
            if holder.id != winner.id {
                if !holder.isHidden, viewColumn.isAcyclic {
                    try openCycle(through: holder.id, viewColumn)
                }
                try hide(target, of: holder.id, viewColumn, by: .exclusive)
            } else if holder.isHidden, let entry = try hidden.entry(of: holder.id, viewColumn) {
                try show(entry, of: holder.id, viewColumn)
                // The reference may now close a cycle.
                touched[viewColumn, default: []].insert(holder.id)
            }
        }
    }

    /// An SQL condition that a target is a record, or a member of the duplicate set that the record
    /// represents.
    private func isHeld(_ target: String, _ record: String) -> String {
        guard !mergedDuplicates.isEmpty else { return "\(target) = \(record)" }
        return """
            \(target) IN (SELECT \(record) UNION ALL
            SELECT s.record FROM ab_shadow s WHERE s.visible = \(record))
            """
    }

    private func holders(of target: LocalID, _ viewColumn: ViewRuleColumn) throws -> [Holder] {
        var sql = """
            SELECT ab_pk, ab_version, ab_writes, 0 FROM \(viewColumn.table)
            WHERE \(viewColumn.column.name) = ?1
            """
        if !hidden.isEmpty {
            sql += """
                 UNION ALL SELECT t.ab_pk, t.ab_version, t.ab_writes, 1 FROM ab_hidden h
                CROSS JOIN \(viewColumn.table) t ON t.ab_pk = h.record
                WHERE \(isHeld("h.target", "?1")) AND h.property = \(viewColumn.column.number)
                AND h.rule <> \(HiddenReferences.Rule.redirected.rawValue)
                """
        }
        let statement = try connection.cached(sql, target)
        var found: [Holder] = []
        while try statement.step() {
            let id = statement.int64(at: 0)
            found.append(
                Holder(
                    id: id,
                    rank: try rank(of: id, statement.writes(at: 1, viewColumn.added), viewColumn),
                    isHidden: statement.int64(at: 3) == 1))
        }
        return found
    }

    func rank(of id: LocalID, _ writes: RowWrites, _ viewColumn: ViewRuleColumn) throws -> WriteRank
    {
        let record = try transaction.recordID(of: id)
        let property = viewColumn.column.property.wireProperty
        // A reference that was never written may show a former one.
        let stamp =
            try writes[viewColumn.column.number].map {
                transaction.replicas.stamps([try logStamps[$0]]).first
            }
            ?? transaction.deferred.wireCells(of: id, .named(property.name))
            .former(of: property, in: record)?.stamp
        return WriteRank(
            stamp: stamp ?? Stamp(timestamp: .zero, replica: ReplicaID(high: 0, low: 0)),
            record: record)
    }
}
