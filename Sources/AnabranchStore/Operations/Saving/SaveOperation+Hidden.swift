import AnabranchModel
import AnabranchReplication

/// A write that a record holds, by what the journal names of it.
struct StoredWrite: Hashable {
    let record: LocalID
    let property: WireProperty
    /// The right end of a link, which shares its stamp with other links of one save.
    var right: PropertyValue?
    let stamp: LocalStamp
}

// A view rule hides some of the values that a store holds, so the author of a save was not shown
// them. A save that overwrites or deletes such a value discards it like a value that came after the
// author had read the object. In a merged object, a change of a property also settles which of the
// members' values show from now on, whichever member it is written to.
extension SaveOperation {
    /// Collects the hidden values that a request discards, before it changes anything.
    mutating func findHiddenValues(_ request: SaveRequest) throws {
        let hasRules = transaction.hasDuplicates || transaction.hidesReferences
        guard hasRules || !request.deletes.isEmpty && !deferred.isEmpty else { return }
        let reader = try ObjectWritesReader(
            StoreReader(connection, schema: schema), replicas: transaction.replicas,
            logStamps: logStamps)
        if hasRules {
            for update in request.updates {
                let layout = schema.layout(of: update.entity)
                for id in update.rows.ids where try mayHide(id, layout) {
                    let writes = try reader.writes(of: id, update.entity)
                    try findDiscarded(of: id, update.rows.slots, writes)
                }
            }
        }
        for delete in request.deletes {
            let layout = schema.layout(of: delete.entity)
            let keepsBoth = layout.properties.contains { $0.rule == .keepBoth }
            for row in delete.rows where try keepsBoth || mayHide(row.id, layout) {
                try findDeleted(of: row.id, reader.writes(of: row.id, delete.entity))
            }
        }
    }

    /// False if no view rule hides a value of a visible record. Other values of a property under
    /// `keepBoth` are not looked for.
    private func mayHide(_ id: LocalID, _ layout: EntityLayout) throws -> Bool {
        let views = transaction.views
        if try views.mergedDuplicates.visible(of: id) == id { return true }
        guard !views.hidden.isEmpty else { return false }
        return try layout.viewRuleColumns.contains { try views.hidden.entry(of: id, $0) != nil }
    }

    /// Collects the values that an update of some slots discards.
    private mutating func findDiscarded(
        of id: LocalID, _ slots: [Int], _ writes: ObjectWrites
    ) throws {
        let layout = writes.layout
        for property in layout.properties
        where !Set(slots).isDisjoint(with: property.slots) && property.rule.loses
            && property.rule != .counter
        {
            let keepsBoth = property.rule == .keepBoth
            // Of one record, the write itself knows the values that it replaces.
            if keepsBoth, !writes.isDuplicateSet { continue }
            let version = seenVersions[id]?.oldest(of: property.slots)
            for (held, _) in try writes.hidden(of: property) {
                let stamp = try transaction.localStamp(held.cell.stamp)
                // A write under `keepBoth` leaves what its author could not have seen.
                if keepsBoth, try isUnseen(stamp, since: version) { continue }
                guard try !isSettled(held, of: property, writes) else { continue }
                try discard(held, of: id, property, layout, isShown: false)
            }
            guard writes.isDuplicateSet, !keepsBoth, let shown = writes.shown(of: property),
                try isUnseen(transaction.localStamp(shown.cell.stamp), since: version)
            else { continue }
            try discard(shown, of: id, property, layout, isShown: true)
        }
    }

    private mutating func discard(
        _ held: ObjectWrites.Held, of id: LocalID, _ property: TableLayout.Property,
        _ layout: EntityLayout, isShown: Bool
    ) throws {
        let record = try transaction.localID(of: held.record)
        if record != id { shownBy[record] = id }
        let cell = RecordCells.Cell(
            property: property.wire, value: held.cell.value, stamp: held.cell.stamp)
        unseenValues.append(
            try UnseenValue(
                cell, of: record, held.entity, property, in: layout, self, isShown: isShown))
    }

    /// Notes the values that a deletion of a visible record discards with it.
    private mutating func findDeleted(of id: LocalID, _ writes: ObjectWrites) throws {
        for property in writes.layout.properties {
            for (held, _) in try writes.hidden(of: property)
            where try !isSettled(held, of: property, writes) {
                let record = try transaction.localID(of: held.record)
                if record != id { shownBy[record] = id }
                hiddenWrites[record, default: []].insert(
                    StoredWrite(
                        record: record, property: property.wire,
                        stamp: try transaction.localStamp(held.cell.stamp)))
            }
        }
    }

    /// True if a save of this file has already decided against a value of a merged object.
    ///
    /// That save wrote what the object shows now when the object already showed all of its records.
    /// So its author has seen the value, or the save has recorded it.
    private func isSettled(
        _ held: ObjectWrites.Held, of property: TableLayout.Property, _ writes: ObjectWrites
    ) throws -> Bool {
        guard writes.isDuplicateSet, property.rule != .keepBoth,
            let shown = writes.shown(of: property), shown.record != held.record,
            shown.cell.stamp.replica == replica, let decided = try position(of: shown)
        else { return false }
        let keys = writes.layout.properties.filter {
            writes.layout.keyProperties.contains($0.wire)
        }.flatMap(writes.contenders)
        return try (keys + [held]).allSatisfy { try position(of: $0) ?? 0 < decided }
    }

    private func position(of held: ObjectWrites.Held) throws -> Int64? {
        try logStamps.position(of: transaction.localStamp(held.cell.stamp))
    }

    /// Collects the hidden reference of a record that the save is about to clear, because it closes
    /// a cycle with references that the save writes.
    mutating func findCutReference(
        of id: LocalID, _ viewColumn: ViewRuleColumn, _ entity: EntityDescription
    ) throws {
        let reader = try ObjectWritesReader(
            StoreReader(connection, schema: schema), replicas: transaction.replicas,
            logStamps: logStamps)
        let writes = try reader.writes(of: id, entity)
        guard let property = writes.layout.property(viewColumn.column.property.wireProperty),
            let held = writes.shown(of: property), !held.cell.value.isNull
        else { return }
        try discard(held, of: id, property, writes.layout, isShown: false)
    }
}
