import AnabranchModel
import AnabranchSQLite

// References to records that others show lead to these.
extension ViewRules {
    /// Who shows a record.
    func mapped(_ id: LocalID) throws -> LocalID { try shadows.visible(of: id) ?? id }

    /// Leads what has changed, and has what it holds in its column, to whom shows that.
    func lead() throws {
        guard !shadows.isEmpty else { return }
        for (ruled, ids) in touched where ruled.isLed {
            let name = ruled.column.name
            let statement = try connection.cached(
                """
                SELECT t.ab_pk, t.\(name) FROM json_each(?) j
                CROSS JOIN \(ruled.table) t ON t.ab_pk = j.value
                CROSS JOIN ab_shadow s ON s.record = t.\(name) WHERE s.visible <> s.record
                """)
            try statement.bind(StoreReader.json(Array(ids)), at: 1)
            var found: [(id: LocalID, target: LocalID)] = []
            while try statement.step() {
                found.append((statement.int64(at: 0), statement.int64(at: 1)))
            }
            for (id, target) in found {
                try remember(id, ruled)
                try hidden.lead(
                    target, of: id, ruled, to: try shownTarget(of: target, ruled))
            }
        }
    }

    /// Who shows the target of a reference; `nil` where that is of an entity that the reference may
    /// not lead to.
    private func shownTarget(of target: LocalID, _ ruled: RuledColumn) throws -> LocalID? {
        let visible = try mapped(target)
        guard visible != target,
            let entity = try reader.entity(of: visible, in: ruled.destination.root)
        else { return visible }
        return entity.isKind(of: ruled.destination) ? visible : nil
    }

    /// Shows what was hidden: the target, or who shows that.
    func show(
        _ entry: HiddenReferences.Entry, of id: LocalID, _ ruled: RuledColumn
    ) throws {
        try remember(id, ruled)
        let visible = try shownTarget(of: entry.target, ruled)
        if visible == entry.target {
            try hidden.show(entry, of: id, ruled)
        } else {
            try hidden.lead(entry.target, of: id, ruled, to: visible)
        }
    }
}
