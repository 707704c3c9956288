import AnabranchModel
import AnabranchSQLite

// References to merged duplicates are redirected to the surviving record.
extension ViewRules {
    /// The visible record for a record: the surviving record of its duplicate set, or the record
    /// itself.
    func mapped(_ id: LocalID) throws -> LocalID { try mergedDuplicates.visible(of: id) ?? id }

    /// Redirects changed references that hold a merged duplicate to the surviving record.
    func redirectReferences() throws {
        guard !mergedDuplicates.isEmpty else { return }
        for (viewColumn, ids) in touched where viewColumn.isRedirectable {
            let name = viewColumn.column.name
            let statement = try connection.cached(
                """
                SELECT t.ab_pk, t.\(name) FROM json_each(?) j
                CROSS JOIN \(viewColumn.table) t ON t.ab_pk = j.value
                CROSS JOIN ab_shadow s ON s.record = t.\(name) WHERE s.visible <> s.record
                """, SQL.json(Array(ids)))
            var found: [(id: LocalID, target: LocalID)] = []
            while try statement.step() {
                found.append((statement.int64(at: 0), statement.int64(at: 1)))
            }
            for (id, target) in found {
                try remember(id, viewColumn)
                try hidden.redirect(
                    target, of: id, viewColumn, to: try shownTarget(of: target, viewColumn))
            }
        }
    }

    /// The visible record for the target of a reference; `nil` if the reference cannot point to
    /// that record's entity.
    func shownTarget(of target: LocalID, _ viewColumn: ViewRuleColumn) throws -> LocalID? {
        let visible = try mapped(target)
        guard visible != target,
            let entity = try reader.entity(of: visible, in: viewColumn.destination.root)
        else { return visible }
        return entity.isKind(of: viewColumn.destination) ? visible : nil
    }

    /// Shows a hidden reference again: its target, or the surviving record of that.
    func show(
        _ entry: HiddenReferences.Entry, of id: LocalID, _ viewColumn: ViewRuleColumn
    ) throws {
        try remember(id, viewColumn)
        let visible = try shownTarget(of: entry.target, viewColumn)
        if visible == entry.target {
            try hidden.show(entry, of: id, viewColumn)
        } else {
            try hidden.redirect(entry.target, of: id, viewColumn, to: visible)
        }
    }
}
