import AnabranchReplication

extension StateMerger {
    func update(_ rows: RowBlock) throws {
        let columns = try columns(of: rows)
        try change(rows.records, of: rows.entity) { row, place in
            var isChanged = false
            for column in columns {
                row.settle(column.number)
                guard try takes(column, at: place, over: row.cells) else { continue }
                row.cells.put(try cell(column.number, column[place], stamp))
                isChanged = true
            }
            return isChanged
        }
    }

    private func takes(_ column: EncodedColumn, at place: Int, over list: CellList) throws -> Bool {
        let held = list[column.number]
        let outcome = try Register.outcome(
            ofWriting: stamp, over: try held.map(stamp(of:)), by: column.property.rule
        ) {
            (column.values[place], try held.map(value(of:)) ?? .null)
        }
        if outcome != .replaces { losses.count += 1 }
        return outcome == .replaces
    }

    /// Adds counter deltas. Each counts once, because causal delivery applies a change set once.
    func add(_ rows: RowBlock) throws {
        let columns = try columns(of: rows)
        try change(rows.records, of: rows.entity) { row, place in
            for column in columns {
                row.settle(column.number)
                let held = row.cells[column.number]
                let sum = Counter.sum(
                    try held.map(value(of:)) ?? .null, column.values[place],
                    of: column.property.type)
                let latest = try held.map { max(try stamp(of: $0), stamp) } ?? stamp
                row.cells.put(try cell(column.number, try encoded(sum), latest))
            }
            return !columns.isEmpty
        }
    }

    func write(_ block: SiblingBlock) throws {
        let column = try column(
            of: block.property, ValueColumn(block.writes.lazy.map(\.value)))
        try change(block.writes.map(\.record), of: block.entity) { row, place in
            try row.write(
                try cell(column.number, column[place], stamp), stamp: stamp,
                seeing: block.writes[place].observedTags, stampOf: stamp(of:))
            return true
        }
    }

    func delete(_ block: YieldingDeleteBlock) throws {
        try change(block.deletes.map(\.record), of: block.entity) { row, place in
            row.seen = row.seen ?? []
            row.seen?.append(contentsOf: block.deletes[place].stampsSeen)
            return true
        }
    }

    // MARK: Cells

    func isDead(_ list: CellList, _ mark: DeleteMark) throws -> Bool {
        let registers = try list.cells
            .filter { try writer.property(at: $0.property).rule.isRegister }
        return mark.isDead(holding: try registers.map(stamp(of:)))
    }

    private func cell(
        _ property: Int64, _ value: StoredBytes, _ stamp: Stamp
    ) throws -> CellList.Cell {
        CellList.Cell(
            property: property, timestamp: stamp.timestamp.rawValue,
            author: stamp == self.stamp ? author : try writer.ordinal(of: stamp.replica),
            value: value)
    }

    private func stamp(of cell: CellList.Cell) throws -> Stamp {
        Stamp(
            timestamp: HybridTimestamp(rawValue: cell.timestamp),
            replica: try writer.replica(at: cell.author))
    }

    private func value(of cell: CellList.Cell) throws -> PropertyValue {
        try cell.value.value(replica: writer.replica(at:))
    }

    private func encoded(_ value: PropertyValue) throws -> StoredBytes {
        var bytes = ByteWriter()
        try StoredValue.append(value, to: &bytes, ordinal: writer.ordinal(of:))
        return StoredBytes(bytes.bytes[...])
    }
}
