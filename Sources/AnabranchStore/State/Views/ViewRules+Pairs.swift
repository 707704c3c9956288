import AnabranchSQLite

// A to-one that is its own inverse: a reference shows only if its target refers back. So a record
// shows in at most one pair, and both of its records show it. A record may refer to itself.
//
// Whether a reference shows depends on what it and its target hold after the rule for merged
// duplicates, and on nothing that this rule hides. So the order in which references are examined
// makes no difference. A reference to a deleted record reads nil anyway and is left as it is.
extension ViewRules {
    /// Applies the rule to the changed records and to the records that refer to one of them.
    func applyPairRule(_ viewColumn: ViewRuleColumn) throws {
        let changed = touched[viewColumn] ?? []
        for id in try unpaired(among: changed, viewColumn) { try applyPairRule(id, viewColumn) }
    }

    func applyPairRuleToAll(_ viewColumn: ViewRuleColumn) throws {
        for id in try unpaired(among: nil, viewColumn) { try applyPairRule(id, viewColumn) }
    }

    /// The records that show a reference without one back, and those with a reference that this
    /// rule hides.
    ///
    /// - Parameter changed: The records to examine, with those that refer to them; `nil` for all.
    private func unpaired(
        among changed: Set<LocalID>?, _ viewColumn: ViewRuleColumn
    ) throws -> Set<LocalID> {
        let name = viewColumn.column.name
        let isChanged = changed == nil ? "" : "AND (t.ab_pk IN j OR t.\(name) IN j)"
        var found = Set(
            try records(
                """
                SELECT t.ab_pk FROM \(viewColumn.table) t WHERE t.\(name) IS NOT NULL \(isChanged)
                AND NOT EXISTS (SELECT 1 FROM \(viewColumn.table) o
                WHERE o.ab_pk = t.\(name) AND o.\(name) = t.ab_pk)
                """, among: changed))
        guard !hidden.isEmpty, let changed else { return found }
        let targets = try changed.union(changed.flatMap(mergedDuplicates.members))
        found.formUnion(
            try records(
                """
                SELECT h.record FROM ab_hidden h WHERE h.property = \(viewColumn.column.number)
                AND h.rule = \(HiddenReferences.Rule.mutual.rawValue)
                AND (h.record IN j OR h.target IN j)
                AND EXISTS (SELECT 1 FROM \(viewColumn.table) t WHERE t.ab_pk = h.record)
                """, among: targets))
        return found
    }

    /// - Parameter sql: A query that can name the changed records as the table `j`.
    private func records(_ sql: String, among changed: Set<LocalID>?) throws -> [LocalID] {
        try connection.cached(
            "WITH j AS MATERIALIZED (SELECT value FROM json_each(?1)) " + sql,
            SQL.json(Array(changed ?? []))
        ).map { $0.int64(at: 0) }
    }

    private func applyPairRule(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws {
        let entry = try hidden.entry(of: id, viewColumn)
        guard let target = try held(id, viewColumn) else { return }
        let isPaired = try !hasRow(target, viewColumn) || held(target, viewColumn) == id
        if let entry, entry.rule == .mutual {
            if isPaired { try show(entry, of: id, viewColumn) }
        } else if !isPaired {
            try hide(entry?.target ?? target, of: id, viewColumn, by: .mutual)
        }
    }

    /// The target of a record's reference after the rule for merged duplicates.
    private func held(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws -> LocalID? {
        guard let entry = try hidden.entry(of: id, viewColumn), entry.rule == .mutual else {
            return try shown(id, viewColumn)
        }
        return try shownTarget(of: entry.target, viewColumn)
    }

    private func hasRow(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws -> Bool {
        try connection.cached("SELECT 1 FROM \(viewColumn.table) WHERE ab_pk = ?", id).step()
    }
}
