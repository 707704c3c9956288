import AnabranchModel
import AnabranchSQLite

// References to merged duplicates are redirected to the surviving record.
extension ViewRules {
    /// The visible record for a record: the surviving record of its group, or the record itself.
    func mapped(_ id: LocalID) throws -> LocalID { try shadows.visible(of: id) ?? id }

    /// Redirects changed references that hold a merged duplicate to the surviving record.
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

    /// The visible record for the target of a reference; `nil` if the reference cannot point to
    /// that record's entity.
    private func shownTarget(of target: LocalID, _ ruled: RuledColumn) throws -> LocalID? {
        let visible = try mapped(target)
        guard visible != target,
            let entity = try reader.entity(of: visible, in: ruled.destination.root)
        else { return visible }
        return entity.isKind(of: ruled.destination) ? visible : nil
    }

    /// Shows a hidden reference again: its target, or the surviving record of that.
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
