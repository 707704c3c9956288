import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// One prepared statement and one block for all rows: values are bound and encoded in the
    /// same pass.
    mutating func write(_ insert: SaveRequest.Insert) throws {
        let layout = schema.layout(of: insert.entity)
        try transaction.views.willSave(insert.rows.ids, of: layout)
        try check(insert.rows, columns: layout.columns)
        let withoutNulls = layout.properties.filter { $0.group != nil || $0.rule == .firstWriter }
        guard !withoutNulls.isEmpty else {
            let all = Array(layout.columns.indices)
            return try write(insert, rows: insert.rows.ids.indices, places: all, layout)
        }
        // A first write of nothing would keep every later one from being the first; a group of
        // nothing is not written either.
        let optional = withoutNulls.map { property in
            (
                property.wire,
                layout.columns.indices.filter { property.slots.contains(layout.columns[$0].slot) }
            )
        }
        let rows = Dictionary(grouping: insert.rows.ids.indices) { row in
            let carried = carriedGroups[insert.rows.ids[row]] ?? [:]
            let empty = optional.filter { property, places in
                carried[property] == nil && places.allSatisfy { insert.rows[row, $0].isNull }
            }
            let left = Set(empty.flatMap(\.1))
            return layout.columns.indices.filter { !left.contains($0) }
        }
        for (places, rows) in rows.sorted(by: { $0.value[0] < $1.value[0] }) {
            try write(insert, rows: rows, places: places, layout)
        }
    }

    /// - Parameter places: Of the columns that are written.
    private mutating func write(
        _ insert: SaveRequest.Insert, rows: some Collection<Int>, places: [Int],
        _ layout: EntityLayout
    ) throws {
        let columns = places.map { layout.columns[$0] }
        let blockPlaces = BlockPlaces(columns)
        func emptyBlock() -> RowBlockEncoder {
            encoder.rows(
                inserting: true, entity: insert.entity.wireName,
                properties: blockPlaces.properties, capacity: capacity(rows.count))
        }
        var block = emptyBlock()
        var room = room
        let isWhole = columns.count == layout.columns.count
        let statement = try connection.cached(
            isWhole
                ? layout.insertSQL : EntityLayout.insertSQL(table: layout.table, columns: columns))
        try statement.bind(firstWrites(of: columns, in: layout), at: 2)
        if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
        let first = layout.firstColumnParameter
        let parameters = TableLayout.parameters(of: columns, from: first)
        for row in rows {
            let id = insert.rows.ids[row]
            block.append(record: RecordID(replica: replica, number: id.number))
            try statement.bind(id, at: 1)
            for (index, column) in columns.enumerated() {
                let value = insert.rows[row, places[index]]
                guard column.kind == .reference else {
                    try statement.bind(slot: value, at: parameters[index], as: column.kind)
                    if let place = blockPlaces.places[index] {
                        block.append(value, toColumn: place)
                    }
                    continue
                }
                let reference = try bindReference(
                    value, of: id, to: column, statement, at: parameters[index])
                if let place = blockPlaces.places[index] {
                    block.append(reference, toColumn: place)
                }
            }
            try statement.run()
            if !blockPlaces.groups.isEmpty {
                try append(groups: blockPlaces.groups, of: id, isNew: true, to: &block) {
                    insert.rows[row, places[$0]]
                }
            }
            if block.hasReached(byteCount: room.byteCount, cellCount: room.cellCount) {
                try append(block, of: insert.entity)
                block = emptyBlock()
                room = self.room
            }
        }
        try append(block, of: insert.entity)
    }

    private func firstWrites(
        of columns: [TableLayout.Column], in layout: EntityLayout
    ) -> RowWrites {
        var writes = RowWrites(by: position)
        guard columns.count < layout.columns.count else { return writes }
        let written = Set(columns.map(\.number))
        for column in layout.columns where !written.contains(column.number) {
            writes.leaveUnwritten(column.number)
        }
        return writes
    }

    /// Takes a block into the change set, unless every other replica would refuse it.
    private mutating func append(_ block: RowBlockEncoder, of entity: EntityDescription) throws {
        if let property = block.misfit { throw Self.misfit(property, of: entity.name) }
        encoder.append(block)
        try cutIfFull()
    }

    /// - Parameter columns: Of the rows' slots.
    private func check(_ rows: SlotTable, columns: [TableLayout.Column]) throws {
        for (index, column) in columns.enumerated() {
            let property = column.property.wireProperty
            // The members of a group are looked at where its value is made.
            guard let range = property.type.integers else { continue }
            for row in rows.ids.indices {
                guard case .integer(let integer) = rows[row, index], !range.contains(integer)
                else { continue }
                throw Self.misfit(property, of: column.property.entity.name)
            }
        }
    }

    static func misfit(_ property: WireProperty, of entity: String) -> StoreError {
        StoreError(
            .invalidValue,
            "Can't save because a value of \(entity).\(property.name.string) is not of its type, "
                + "\(property.type).", entity: entity, property: property.name.string)
    }

    /// Writes changed slots where the row is still as it was read; the row's version is part of
    /// the UPDATE's condition, so no row is read first.
    mutating func write(_ update: SaveRequest.Update) throws {
        let layout = schema.layout(of: update.entity)
        try transaction.views.willSave(update.rows.ids, of: layout, slots: update.rows.slots)
        let columns = layout.columns.filter { update.rows.slots.contains($0.slot) }
        let blockPlaces = BlockPlaces(columns, where: \.isRegister)
        let hasRegisters = !blockPlaces.properties.isEmpty
        func emptyBlock() -> RowBlockEncoder {
            encoder.rows(
                inserting: false, entity: update.entity.wireName,
                properties: blockPlaces.properties,
                capacity: hasRegisters ? capacity(update.rows.count) : 0)
        }
        var block = emptyBlock()
        var room = room
        var ruled = RuledWrites(columns, layout: layout, encoder)
        try check(update.rows, columns: columns)
        let statement = try connection.cached(Self.updateSQL(layout.table, columns: columns))
        let parameters = TableLayout.parameters(of: columns, from: 1)
        let last = parameters[columns.count] - 1
        try statement.bind(position, at: last + 1)
        try statement.bind(Self.numbers(of: columns), at: last + 2)
        var bound: RowVersion?
        for (row, id) in update.rows.ids.enumerated() {
            let version = update.versions[row]
            if version != bound {
                // Rows that were written together have one version and become alike.
                try bind(version, of: columns, to: statement, behind: last)
                bound = version
            }
            if ruled != nil {
                let isFresh = try ruled?.note(id, version, in: self) { update.rows[row, $0] }
                guard isFresh == true else {
                    staleRecords.append(id)
                    continue
                }
            }
            if hasRegisters { block.append(record: try transaction.recordID(of: id)) }
            for (index, column) in columns.enumerated() {
                var value = update.rows[row, index]
                if column.kind == .reference {
                    value = try bindReference(
                        value, of: id, to: column, statement, at: parameters[index])
                } else {
                    try statement.bind(slot: value, at: parameters[index], as: column.kind)
                }
                if let place = blockPlaces.places[index] { block.append(value, toColumn: place) }
            }
            if !blockPlaces.groups.isEmpty {
                try append(groups: blockPlaces.groups, of: id, isNew: false, to: &block) {
                    update.rows[row, $0]
                }
            }
            try statement.bind(id, at: last + 5)
            try statement.run()
            if connection.changes == 0 { staleRecords.append(id) }
            if block.hasReached(byteCount: room.byteCount, cellCount: room.cellCount)
                || ruled?.hasReached(room) ?? false
            {
                try append(block, of: update.entity)
                try ruled?.finish(&self)
                block = emptyBlock()
                ruled = RuledWrites(columns, layout: layout, encoder)
                room = self.room
            }
        }
        try append(block, of: update.entity)
        try ruled?.finish(&self)
    }

    /// Parameters: the columns, the new position, the numbers of the columns, `ab_writes` of a
    /// row that had none, the old version, the row ID.
    private static func updateSQL(_ table: TableLayout, columns: [TableLayout.Column]) -> String {
        let names = columns.flatMap(\.names)
        let count = names.count
        let assignments = names.enumerated().map { "\($1) = ?\($0 + 1)" }
        return """
            UPDATE \(table.name) SET \(assignments.joined(separator: ", ")),
            ab_version = ?\(count + 1), ab_writes = CASE WHEN ab_writes IS NULL THEN ?\(count + 3)
            ELSE ab_written(ab_writes, ab_version, ?\(count + 1), ?\(count + 2)) END
            WHERE ab_pk = ?\(count + 5) AND ab_version = ?\(count + 4)
            """
    }

    private static func numbers(of columns: [TableLayout.Column]) -> [UInt8] {
        var numbers = ByteWriter()
        for column in columns { numbers.append(count: column.number) }
        return numbers.bytes
    }

    private func bind(
        _ version: RowVersion, of columns: [TableLayout.Column], to statement: Statement,
        behind last: Int
    ) throws {
        var writes = try RowWrites(version, nil)
        for column in columns { try writes.write(column.number, by: position) }
        try statement.bind(writes.blob, at: last + 3)
        try statement.bind(version.position, at: last + 4)
    }

    /// Binds a reference; one into a list with the row's position there.
    ///
    /// - Returns: The value as it travels.
    private mutating func bindReference(
        _ value: Value, of id: LocalID, to column: TableLayout.Column, _ statement: Statement,
        at index: Int
    ) throws -> Value {
        let reference = try wireReference(value)
        guard let list = column.property.relationship?.inverse, column.position != nil,
            case .integer(let owner) = value, case .reference(let target) = reference
        else {
            try statement.bind(slot: value, at: index, as: column.kind)
            if column.position != nil { try statement.bindNull(at: index + 1) }
            return reference
        }
        let position = try lists.position(of: id, in: owner, list)
        try statement.bind(owner, at: index)
        try statement.bind(position.bytes, at: index + 1)
        return ListEntry(target: target, position: position).value
    }

    private func wireReference(_ value: Value) throws -> Value {
        guard case .integer(let id) = value else { return .null }
        return .reference(try transaction.recordID(of: id))
    }
}
