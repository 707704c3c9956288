import AnabranchReplication

extension StateMerger {
    func update(_ rows: RowBlock) throws {
        let columns = try columns(of: rows)
        try change(rows.records, of: rows.entity) { row, place in
            try changingCells(of: row) { list in
                var isChanged = false
                for column in columns where try takes(column, at: place, over: list) {
                    list.put(try cell(column.number, column[place], stamp))
                    isChanged = true
                }
                return isChanged
            }
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
            try changingCells(of: row) { list in
                for column in columns {
                    let held = list[column.number]
                    let sum = Counter.sum(
                        try held.map(value(of:)) ?? .null, column.values[place],
                        of: column.property.type)
                    let latest = try held.map { max(try stamp(of: $0), stamp) } ?? stamp
                    list.put(try cell(column.number, try encoded(sum), latest))
                }
                return !columns.isEmpty
            }
        }
    }

    func write(_ block: SiblingBlock) throws {
        let column = try column(of: block.property, block.writes.map(\.value))
        try change(block.writes.map(\.record), of: block.entity) { row, place in
            try changingCells(of: row) { list in
                var siblings = Siblings(
                    try list.siblings(of: column.number).map {
                        Siblings.Sibling(stamp: try stamp(of: $0), content: $0.value)
                    })
                siblings.write(
                    column[place], stamp: stamp, seeing: block.writes[place].observedTags)
                list.put(
                    try siblings.all.map { try cell(column.number, $0.content, $0.stamp) },
                    of: column.number)
                return true
            }
        }
    }

    func delete(_ block: YieldingDeleteBlock) throws {
        try change(block.deletes.map(\.record), of: block.entity) { row, place in
            let seen = block.deletes[place].stampsSeen
            var mark = try mark(of: row) ?? DeleteMark(seen: [])
            guard mark.formUnion(seen) || row.seen == nil else { return nil }
            var row = row
            row.seen = try StoredTags.encoded(mark.seen, ordinal: writer.ordinal(of:))
            row.isDead = try isDead(try cells(of: row), mark)
            return row
        }
    }

    // MARK: Rows

    /// Changes the cells of a row.
    ///
    /// - Parameter body: Returns true if it changed the cells.
    private func changingCells(
        of row: StateRow, _ body: (inout CellList) throws -> Bool
    ) throws -> StateRow? {
        var list = try cells(of: row)
        guard try body(&list) else { return nil }
        var row = row
        row.cells = list.encoded(timestamp: row.timestamp, author: row.author)
        if let mark = try mark(of: row) { row.isDead = try isDead(list, mark) }
        return row
    }

    private func cells(of row: StateRow) throws -> CellList {
        try CellList(decoding: row.cells, timestamp: row.timestamp, author: row.author)
    }

    private func mark(of row: StateRow) throws -> DeleteMark? {
        try row.seen.map {
            DeleteMark(seen: try StoredTags.stamps(decoding: $0, replica: writer.replica(at:)))
        }
    }

    private func isDead(_ list: CellList, _ mark: DeleteMark) throws -> Bool {
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

    private func value(of cell: CellList.Cell) throws -> Value {
        try cell.value.value(replica: writer.replica(at:))
    }

    private func encoded(_ value: Value) throws -> StoredBytes {
        var bytes = ByteWriter()
        try StoredValue.append(value, to: &bytes, ordinal: writer.ordinal(of:))
        return StoredBytes(bytes.bytes[...])
    }
}
