import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Updates slots of rows that are unchanged since they were read. The version is part of the
    /// statement's condition, so no row is read first.
    mutating func write(_ update: SaveRequest.Update) throws {
        let layout = schema.layout(of: update.entity)
        let updateLayout = layout.updateLayout(ofSlots: update.rows.slots)
        let columns = updateLayout.columns
        try prepare(update, columns, of: layout)
        let blockPlaces = updateLayout.block
        let hasRegisters = !blockPlaces.properties.isEmpty
        func emptyBlock() -> RowBlockEncoder {
            RowBlockEncoder(
                inserting: false, entity: update.entity.wireName,
                properties: blockPlaces.properties,
                capacity: hasRegisters ? capacity(update.rows.count) : 0)
        }
        presentEntity = update.entity
        var block = emptyBlock()
        var room = room
        func newRuleWrites() -> MergeRuleWrites? {
            updateLayout.hasMergeRules ? MergeRuleWrites(columns, layout: layout) : nil
        }
        var ruleWrites = newRuleWrites()
        try check(update.rows, columns: columns)
        registerNulls(in: update.rows, columns, of: layout)
        var writer = try UpdateWriter(
            updateLayout, of: layout.table, rowCount: update.rows.count, by: position, connection,
            areAlone: ruleWrites != nil)
        for (row, id) in update.rows.ids.enumerated() {
            if ruleWrites != nil {
                let isFresh = try ruleWrites?.add(id, update.versions[row], in: self) {
                    update.rows[row, $0]
                }
                guard isFresh == true else {
                    addStale(id)
                    continue
                }
            }
            present = id
            try writer.begin(id, row, of: update.versions)
            let statement = writer.statement
            if hasRegisters { block.append(record: try transaction.recordID(of: id)) }
            for (index, column) in columns.enumerated() {
                let value = try bind(
                    update.rows[row, index], of: id, to: column, statement,
                    at: writer.parameter(ofColumn: index))
                if let place = blockPlaces.places[index] { block.append(value, toColumn: place) }
            }
            if !blockPlaces.groups.isEmpty {
                try append(groups: blockPlaces.groups, of: id, isNew: false, to: &block) {
                    update.rows[row, $0]
                }
            }
            for stale in try end(&writer) { addStale(stale) }
            if block.hasReached(byteCount: room.byteCount, cellCount: room.cellCount)
                || ruleWrites?.hasReached(room) ?? false
            {
                try append(block, of: update.entity)
                try ruleWrites?.finish(&self)
                block = emptyBlock()
                ruleWrites = newRuleWrites()
                room = self.room
            }
        }
        try append(block, of: update.entity)
        try ruleWrites?.finish(&self)
    }

    /// Finds what rows show besides their own values, and the values that the save discards, before
    /// the rows are written.
    private mutating func prepare(
        _ update: SaveRequest.Update, _ columns: [TableLayout.Column], of layout: EntityLayout
    ) throws {
        let rows = update.rows
        if layout.hasViewRules {
            try transaction.views.willSave(rows.ids, of: layout, slots: rows.slots)
        }
        if transaction.head.hasDeferredRows != false {
            try transaction.views.willSaveValues(of: rows.ids, columns)
        }
        if !seenVersions.isEmpty {
            try findUnseenValues(of: rows.ids, in: layout, slots: rows.slots)
        }
    }

    private func end(_ writer: inout UpdateWriter) throws -> [LocalID] {
        do {
            return try writer.end()
        } catch let error as SQLiteError where error.code == .tooBig {
            throw recordTooLarge(writer.ids, error)
        }
    }
}
