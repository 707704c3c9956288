import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// One prepared statement and one block for all rows: values are bound and encoded in the
    /// same pass.
    mutating func write(_ insert: SaveRequest.Insert) throws {
        let layout = schema.layout(of: insert.entity)
        var block = encoder.rows(
            inserting: true, entity: insert.entity.wireName,
            properties: layout.columns.map(\.property.wireProperty), capacity: insert.rows.count)
        try checkSize(insert.rows.count, columns: layout.columns.count)
        try checkWidths(insert.rows.lazy.map(\.slots), of: layout.columns)
        let statement = try connection.cached(layout.insertSQL)
        try statement.bind(RowWrites(by: position), at: 2)
        if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
        let first = layout.firstColumnParameter
        let columns = layout.columns.map { (slot: $0.slot, kind: $0.kind) }
        for row in insert.rows {
            block.append(record: RecordID(replica: replica, number: row.id.number))
            try statement.bind(row.id, at: 1)
            for (index, column) in columns.enumerated() {
                let value = row.slots[column.slot]
                try statement.bind(slot: value, at: first + index, as: column.kind)
                block.append(
                    column.kind == .reference ? try wireReference(value) : value, toColumn: index)
            }
            try statement.run()
        }
        try append(block, of: insert.entity)
    }

    /// Takes a block into the change set, unless every other replica would refuse it.
    private mutating func append(_ block: RowBlockEncoder, of entity: EntityDescription) throws {
        if let property = block.misfit { throw Self.misfit(property, of: entity.name) }
        encoder.append(block)
    }

    private func checkWidths(
        _ rows: some Sequence<[Value]>, of columns: [TableLayout.Column]
    ) throws {
        let narrow = columns.filter { $0.property.wireProperty.type.integers != nil }
        guard !narrow.isEmpty else { return }
        for slots in rows {
            for column in narrow {
                let property = column.property.wireProperty
                guard case .integer(let integer) = slots[column.slot],
                    property.type.integers?.contains(integer) == false
                else { continue }
                throw Self.misfit(property, of: column.property.entity.name)
            }
        }
    }

    private static func misfit(_ property: WireProperty, of entity: String) -> StoreError {
        StoreError(
            .invalidValue,
            "Can't save because a value of \(entity).\(property.name.string) is not of its type, "
                + "\(property.type).", entity: entity, property: property.name.string)
    }

    /// Writes changed slots where the row is still as it was read; the row's version is part of
    /// the UPDATE's condition, so no row is read first.
    mutating func write(_ update: SaveRequest.Update) throws {
        let layout = schema.layout(of: update.entity)
        let columns = layout.columns.filter { update.slots.contains($0.slot) }
        try checkSize(update.rows.count, columns: columns.count)
        var block = encoder.rows(
            inserting: false, entity: update.entity.wireName,
            properties: columns.map(\.property.wireProperty), capacity: update.rows.count)
        try checkWidths(update.rows.lazy.map(\.slots), of: columns)
        let statement = try connection.cached(Self.updateSQL(layout.table, columns: columns))
        try statement.bind(position, at: columns.count + 1)
        try statement.bind(Self.numbers(of: columns), at: columns.count + 2)
        var bound: RowVersion?
        for row in update.rows {
            if row.version != bound {
                // Rows that were written together have one version and become alike.
                try bind(row.version, of: columns, to: statement)
                bound = row.version
            }
            block.append(record: try transaction.recordID(of: row.id))
            for (index, column) in columns.enumerated() {
                let value = row.slots[column.slot]
                try statement.bind(slot: value, at: index + 1, as: column.kind)
                block.append(
                    column.kind == .reference ? try wireReference(value) : value,
                    toColumn: index)
            }
            try statement.bind(row.id, at: columns.count + 5)
            try statement.run()
            if connection.changes == 0 { staleRecords.append(row.id) }
        }
        try append(block, of: update.entity)
    }

    /// Parameters: the columns, the new position, the numbers of the columns, `ab_writes` of a
    /// row that had none, the old version, the row ID.
    private static func updateSQL(_ table: TableLayout, columns: [TableLayout.Column]) -> String {
        let count = columns.count
        let assignments = columns.enumerated().map { "\($1.name) = ?\($0 + 1)" }
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
        _ version: RowVersion, of columns: [TableLayout.Column], to statement: Statement
    ) throws {
        var writes = RowWrites(by: version.position)
        for column in columns { writes.write(column.number, by: position) }
        try statement.bind(writes.blob, at: columns.count + 3)
        try statement.bind(version.position, at: columns.count + 4)
    }

    private func wireReference(_ value: Value) throws -> Value {
        guard case .integer(let id) = value else { return .null }
        return .reference(try transaction.recordID(of: id))
    }

    private func checkSize(_ rows: Int, columns: Int) throws {
        guard rows <= Limits.mostCells / max(columns, 1) else {
            throw StoreError(
                .saveTooLarge,
                "Can't save \(rows) records at once because a change set holds "
                    + "\(Limits.mostCells) values of an entity; save in parts.")
        }
    }

    /// Removes rows and, with them, their links; nothing else is written, also not the references
    /// that lead to them, which read nil from now on.
    mutating func write(_ delete: SaveRequest.Delete) throws {
        let layout = schema.layout(of: delete.entity)
        let statement = try connection.cached(
            layout.deleteSQL + " AND ab_version = ?")
        let links = try LinkRows(connection).removal(from: layout)
        var records: [RecordID] = []
        records.reserveCapacity(delete.rows.count)
        for row in delete.rows {
            try statement.bind(row.id, at: 1)
            try statement.bind(row.version.position, at: 2)
            try statement.run()
            if connection.changes == 0 { staleRecords.append(row.id) }
            for statement in links {
                try statement.bind(row.id, at: 1)
                try statement.run()
            }
            try deferred.removeProperties(of: row.id)
            records.append(try transaction.recordID(of: row.id))
        }
        guard !records.isEmpty else { return }
        encoder.append(.delete(RecordBlock(entity: delete.entity.wireName, records: records)))
    }
}
