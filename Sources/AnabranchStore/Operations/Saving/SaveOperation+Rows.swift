import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Inserts rows with one block: values are bound and encoded in the same pass.
    mutating func write(_ insert: SaveRequest.Insert) throws {
        let layout = schema.layout(of: insert.entity)
        if layout.hasViewRules {
            try transaction.views.willSave(insert.rows.ids, of: layout)
        }
        try check(insert.rows, columns: layout.columns)
        registerNulls(in: insert.rows, layout.columns, of: layout)
        guard !layout.propertiesWithoutNull.isEmpty else {
            return try write(insert, rows: insert.rows.ids.indices, layout)
        }
        let optional = layout.propertiesWithoutNull.map { property in
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

    /// Inserts rows that write the same columns.
    ///
    /// - Parameter places: The indices of the columns that are written; `nil` for all.
    private mutating func write(
        _ insert: SaveRequest.Insert, rows: some Collection<Int>, places: [Int]? = nil,
        _ layout: EntityLayout
    ) throws {
        let columns = places.map { $0.map { layout.columns[$0] } } ?? layout.columns
        let blockPlaces = places == nil ? layout.block : BlockMapping(columns)
        func emptyBlock() -> RowBlockEncoder {
            RowBlockEncoder(
                inserting: true, entity: insert.entity.wireName,
                properties: blockPlaces.properties, capacity: capacity(rows.count))
        }
        presentEntity = insert.entity
        var block = emptyBlock()
        var room = room
        var writer = try InsertWriter(
            columns, of: layout, rowCount: rows.count, writes: firstWrites(of: columns, in: layout),
            connection)
        for row in rows {
            let id = insert.rows.ids[row]
            present = id
            block.append(record: RecordID(replica: replica, number: id.number))
            try writer.begin(id)
            let statement = writer.statement
            for (index, column) in columns.enumerated() {
                let value = try bind(
                    insert.rows[row, places?[index] ?? index], of: id, to: column, statement,
                    at: writer.parameter(ofColumn: index))
                if let place = blockPlaces.places[index] { block.append(value, toColumn: place) }
            }
            try end(&writer)
            if !blockPlaces.groups.isEmpty {
                try append(groups: blockPlaces.groups, of: id, isNew: true, to: &block) {
                    insert.rows[row, places?[$0] ?? $0]
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

    private func end(_ writer: inout InsertWriter) throws {
        do {
            try writer.end()
        } catch let error as SQLiteError where error.code == .tooBig {
            throw recordTooLarge([try writer.rowAtFault() ?? present], error)
        }
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

    /// Adds a block to the change set, unless every other replica would refuse it.
    mutating func append(_ block: RowBlockEncoder, of entity: EntityDescription) throws {
        if let property = block.misfit { throw Self.misfit(property, of: entity.name) }
        encoder.append(block)
        try cutIfFull()
    }

    /// Checks that integers fit their columns' types.
    ///
    /// - Parameter columns: The columns of the rows' slots.
    func check(_ rows: SlotTable, columns: [TableLayout.Column]) throws {
        for (index, column) in columns.enumerated() {
            let property = column.property.wireProperty
            // The members of an attribute group are checked when its value is created.
            guard let range = property.type.integers else { continue }
            for row in rows.ids.indices {
                guard case .integer(let integer) = rows[row, index], !range.contains(integer)
                else { continue }
                throw Self.misfit(property, of: column.property.entity.name)
            }
        }
    }

    /// Registers rows that write null to a property that shows a default in its place.
    func registerNulls(
        in rows: SlotTable, _ columns: [TableLayout.Column], of layout: EntityLayout
    ) {
        guard layout.table.isSynced else { return }
        for property in layout.propertiesWithDefault {
            guard let place = columns.firstIndex(where: { $0 === property.column }) else {
                continue
            }
            for (row, id) in rows.ids.enumerated() where rows[row, place].isNull {
                transaction.views.registerValues(of: id)
            }
        }
    }

    static func misfit(_ property: WireProperty, of entity: String) -> StoreError {
        StoreError(
            .invalidValue,
            "Can't save because a value of \(entity).\(property.name.string) is not of its type, "
                + "\(property.type).", entity: entity, property: property.name.string)
    }

    /// Binds the value of a column.
    ///
    /// - Returns: The value in its wire form.
    @inline(__always)
    mutating func bind(
        _ value: PropertyValue, of id: LocalID, to column: TableLayout.Column,
        _ statement: Statement,
        at index: Int
    ) throws -> PropertyValue {
        if column.kind == .reference {
            return try bindReference(value, of: id, to: column, statement, at: index)
        }
        try statement.bind(slot: value, at: index, as: column.kind)
        return value
    }

    /// Binds a reference; a list reference with the row's position.
    ///
    /// - Returns: The value in its wire form.
    private mutating func bindReference(
        _ value: PropertyValue, of id: LocalID, to column: TableLayout.Column,
        _ statement: Statement,
        at index: Int
    ) throws -> PropertyValue {
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

    private func wireReference(_ value: PropertyValue) throws -> PropertyValue {
        guard case .integer(let id) = value else { return .null }
        return .reference(try transaction.recordID(of: id))
    }
}
