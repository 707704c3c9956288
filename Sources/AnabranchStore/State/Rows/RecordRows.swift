import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Writes records in their canonical state, and their links, into the tables.
struct RecordRows {
    private let transaction: StateTransaction
    private let positions: StampPositions
    private let scope: RecordScope
    private let held: HeldRecords

    private var connection: Connection { transaction.connection }
    private var schema: StoreSchema { transaction.schema }

    init(
        _ transaction: StateTransaction, positions: StampPositions, _ scope: RecordScope = .synced
    ) {
        self.transaction = transaction
        self.positions = positions
        self.scope = scope
        held =
            scope == .synced
            ? transaction.held
            : HeldRecords(
                transaction.connection, schema: transaction.schema, deferred: transaction.deferred,
                scope)
    }

    /// Inserts a record.
    ///
    /// - Parameters:
    ///   - record: A record that is not held. If it is dead, or of an unknown entity, it is kept
    ///     among the deferred rows.
    ///   - version: The version of the row. With `nil` it is that of the last write, which is safe
    ///     only if no context can have read an earlier row.
    func insert(_ record: CanonicalRecord, id: LocalID, version: RowVersion?) throws {
        let deferred = transaction.deferred
        if let mark = record.deleteMark { try deferred.setMark(mark, of: id) }
        guard let layout = schema.recordLayout(named: record.entity, scope), !record.isDead else {
            return try deferred.insertDeleted(record, id: id)
        }
        var shown: [Int: CanonicalRecord.Cell] = [:]
        for cell in record.cells.sorted(by: { $0.stamp < $1.stamp }) {
            guard let property = layout.property(cell.property) else {
                try deferred.write(cell, to: id)
                continue
            }
            if let other = shown.updateValue(cell, forKey: property.number) {
                try deferred.write(other, to: id)
            }
            if !property.isPlain(cell.value) { try deferred.write(cell, to: id) }
        }
        for (number, cell) in shown where showsDefault(cell, layout) {
            // The position lets a later merge restore the cell to its column.
            _ = try positions[transaction.localStamp(cell.stamp)]
            try deferred.write(cell, to: id)
            shown[number] = nil
            transaction.views.exposed.remove(id)
        }
        try insert(shown, id: id, layout: layout, version: version)
    }

    /// Inserts the row of a surviving record, which shows several records. Values without a column
    /// stay with those records.
    func show(
        _ cells: [CanonicalRecord.Cell], id: LocalID, layout: EntityLayout, version: RowVersion
    ) throws {
        let shown = cells.compactMap { cell in
            showsDefault(cell, layout)
                ? nil : layout.property(cell.property).map { ($0.number, cell) }
        }
        try insert(
            Dictionary(shown, uniquingKeysWith: { first, _ in first }), id: id, layout: layout,
            version: version)
    }

    /// True if a column shows its default in place of a cell.
    private func showsDefault(_ cell: CanonicalRecord.Cell, _ layout: EntityLayout) -> Bool {
        layout.property(cell.property)?.showsDefault(inPlaceOf: cell.value) ?? false
    }

    /// Inserts a row.
    ///
    /// - Parameter cells: The cells by the numbers of their properties.
    private func insert(
        _ cells: [Int: CanonicalRecord.Cell], id: LocalID, layout: EntityLayout,
        version: RowVersion?
    ) throws {
        let properties = layout.properties.filter { cells[$0.number] != nil }
        let written = try properties.compactMap { property in
            try cells[property.number].map { try positions[transaction.localStamp($0.stamp)] }
        }
        let missing = layout.properties.filter { cells[$0.number] == nil }
        let statement = try connection.cached(
            EntityLayout.insertSQL(table: layout.table, columns: properties.flatMap(\.columns)), id)
        try statement.bind(
            writes(by: written, to: properties, missing: missing, version: version, layout.table),
            at: 2, layout.table.added)
        if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
        var place = layout.firstColumnParameter
        for property in properties {
            let value = try transaction.localValue(cells[property.number]?.value ?? .null)
            try statement.bind(value, to: property, at: &place, transaction.localID(of:))
        }
        try statement.run()
    }

    /// The writes of a row.
    ///
    /// - Parameters:
    ///   - positions: The positions of the change sets that wrote the properties.
    ///   - missing: Properties that were never written.
    private func writes(
        by positions: [Int64], to properties: [TableLayout.Property],
        missing: [TableLayout.Property], version: RowVersion?, _ table: TableLayout
    ) -> RowWrites {
        // A row to which nothing was ever written gets a position of its own.
        let version = version ?? RowVersion(positions.max() ?? self.positions.reserve())
        var writes = RowWrites(by: positions.first ?? version.position)
        writes.advance(to: version)
        writes.leaveUnwritten(table.dropped)
        for property in missing { writes.leaveUnwritten(property.number) }
        for (property, position) in zip(properties, positions) {
            writes.writeAgain(property.number, by: position)
        }
        return writes
    }

    // MARK: - Columns

    /// Inserts records of one entity for which the same properties were written.
    ///
    /// - Parameter isFirst: True if no context can have read an earlier row of any of them.
    func insert(_ rows: SnapshotChunk.Rows, isFirst: Bool) throws {
        let block = rows.block
        let ids = try block.records.map(transaction.localID)
        guard let layout = schema.recordLayout(named: block.entity, scope) else {
            return try insert(rows, ids: ids, ofUnknownEntity: block.entity)
        }
        let known = block.properties.indices.filter {
            layout.property(block.properties[$0]) != nil
        }
        let properties = known.compactMap { layout.property(block.properties[$0]) }
        let numbers = Set(properties.map(\.number))
        let missing = layout.properties.filter { !numbers.contains($0.number) }
        let written = try known.map { try positions(rows.stamps[$0], count: ids.count) }
        // This position is greater than every position that the rows name.
        let version = isFirst ? nil : RowVersion(positions.reserve())
        let columns = known.map { block.columns[$0] }
        let withDefault = zip(properties, columns).filter { !$0.0.valueWhenNull.isNull }
        let statement = try connection.cached(
            EntityLayout.insertSQL(table: layout.table, columns: properties.flatMap(\.columns)))
        for (row, id) in ids.enumerated() {
            var writes = writes(
                by: written.map { $0[row] }, to: properties, missing: missing, version: version,
                layout.table)
            // The positions of these nulls let a later merge restore them to their columns.
            for (property, values) in withDefault where values[row].isNull {
                writes.leaveUnwritten(property.number)
            }
            try statement.bind(id, at: 1)
            try statement.bind(writes, at: 2, layout.table.added)
            if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
            var place = layout.firstColumnParameter
            for (property, values) in zip(properties, columns) {
                var value = values[row]
                if value.isNull { value = property.valueWhenNull }
                try statement.bind(
                    transaction.localValue(value), to: property, at: &place,
                    transaction.localID(of:))
            }
            try statement.run()
        }
        for (property, source) in zip(properties, known)
        where property.group != nil || !property.valueWhenNull.isNull {
            try writeDeferred(rows, column: source, ids: ids) {
                property.showsDefault(inPlaceOf: $0) || !property.isPlain($0)
            }
        }
        for source in block.properties.indices where !known.contains(source) {
            try writeDeferred(rows, column: source, ids: ids)
        }
    }

    private func positions(_ runs: [SnapshotChunk.StampRun], count: Int) throws -> [Int64] {
        var found: [Int64] = []
        found.reserveCapacity(count)
        for run in runs {
            let position = try positions[transaction.localStamp(run.stamp)]
            found.append(contentsOf: repeatElement(position, count: run.count))
        }
        return found
    }

    private func insert(
        _ rows: SnapshotChunk.Rows, ids: [LocalID], ofUnknownEntity entity: WireName
    ) throws {
        for id in ids { try transaction.deferred.insert(id, entity: entity) }
        for source in rows.block.properties.indices {
            try writeDeferred(rows, column: source, ids: ids)
        }
    }

    private func writeDeferred(
        _ rows: SnapshotChunk.Rows, column: Int, ids: [LocalID],
        where isKept: (PropertyValue) -> Bool = { _ in true }
    ) throws {
        let (property, values) = (rows.block.properties[column], rows.block.columns[column])
        let cells = try CellInsertion(of: property, into: transaction.deferred)
        var row = 0
        for run in rows.stamps[column] {
            let stamp = try transaction.localStamp(run.stamp)
            for _ in 0..<run.count {
                if isKept(values[row]) {
                    try cells.insert(values[row], of: ids[row], stamp: stamp)
                }
                row += 1
            }
        }
    }

    // MARK: - Links

    /// Stores a link if both its ends are held.
    func put(_ tags: LinkTags, on property: WireProperty, left: RecordID, right: RecordID) throws {
        let ends = (
            left: try transaction.localID(of: left), right: try transaction.localID(of: right)
        )
        guard try held.holds(ends.left), try held.holds(ends.right) else {
            return
        }
        let local = try transaction.localTags(tags)
        if let layout = try layout(of: property, from: ends.left) {
            try LinkRows(connection).set(local, left: ends.left, right: ends.right, in: layout)
        } else {
            try transaction.deferred.changeLink(
                property, left: ends.left, right: ends.right, replicas: transaction.replicas
            ) { held in
                held = tags
                return true
            }
        }
    }

    /// The table of a link. A link in a canonical state names no entity, so the entity of its left
    /// end decides.
    private func layout(of property: WireProperty, from left: LocalID) throws -> LinkLayout? {
        let candidates = schema.linkLayouts(scope).filter {
            $0.relationship.wireProperty == property
        }
        guard let entity = try held.entity(of: left) else { return candidates.first }
        return candidates.first { entity.isKind(of: $0.leftEntity) }
    }
}
