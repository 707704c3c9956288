package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// One value of a row that a request for values returns.
package enum RowCell: Hashable, Sendable {
    case value(PropertyValue)
    /// An object, with the index of its entity in the model.
    case object(entityIndex: Int, LocalID)
}

extension StoreReader {
    /// Calls the body for each row of values that a query finds, in the order of the rows' sorts.
    ///
    /// - Throws: `FetchPredicateError` with code `typeMismatch` for a value that the type of its
    ///   column can't hold; `SQLiteError`.
    package func values(
        _ query: FetchQuery, _ rows: ResolvedRows, _ body: ([RowCell]) throws -> Void
    ) throws {
        let statement = try prepared(query, selecting: .values(rows))
        let cells = cells(of: rows)
        while try step(statement) {
            try body(try cells.map { try self.cell($0, of: query.entity, in: statement) })
        }
    }

    /// The number of rows of values that a query finds.
    package func count(_ query: FetchQuery, _ rows: ResolvedRows) throws -> Int {
        let statement = try prepared(query, selecting: .countOfValues(rows))
        return try step(statement) ? Int(statement.int64(at: 0)) : 0
    }

    private func cells(of rows: ResolvedRows) -> [CellReader] {
        var place = 0
        return rows.columns.map { column in
            let hasDiscriminator =
                column.entity.map { schema.layout(of: $0).table.hasDiscriminator } ?? false
            defer { place += hasDiscriminator ? 2 : 1 }
            return CellReader(column: column, place: place, hasDiscriminator: hasDiscriminator)
        }
    }

    private func cell(
        _ reader: CellReader, of entity: EntityDescription, in statement: Statement
    ) throws -> RowCell {
        guard let target = reader.column.entity else {
            return .value(try reader.value(in: statement, of: entity))
        }
        if statement.type(at: reader.place) == .null { return .value(.null) }
        let own =
            reader.hasDiscriminator
            ? schema.entity(numbered: statement.int64(at: reader.place + 1)) : target
        guard let own else { return .value(.null) }
        return .object(entityIndex: own.index, statement.int64(at: reader.place))
    }
}

/// Reads the values of one column of a SELECT.
private struct CellReader {
    let column: ResolvedRows.Column
    let place: Int
    let hasDiscriminator: Bool
    private let kind: ColumnKind

    init(column: ResolvedRows.Column, place: Int, hasDiscriminator: Bool) {
        self.column = column
        self.place = place
        self.hasDiscriminator = hasDiscriminator
        kind = column.operand.type.map(ColumnKind.init) ?? .data
    }

    func value(in statement: Statement, of entity: EntityDescription) throws -> PropertyValue {
        let value = computed(in: statement)
        guard let type = column.resultType, !value.isNull else { return value }
        guard let converted = type.coerce(value) else {
            throw FetchPredicateError(
                .typeMismatch, entity: entity.name, key: column.name,
                "Can't convert \(value) in the column '\(column.name)' to \(type) because it does "
                    + "not fit exactly; round it in the expression, or fetch it as it is.")
        }
        return converted
    }

    /// A computed number may be an integer where doubles are expected, and a sum of integers beyond
    /// 64 bits is a double.
    private func computed(in statement: Statement) -> PropertyValue {
        switch (kind, statement.type(at: place)) {
        case (.integer, .real): .double(statement.double(at: place))
        case (.real, .integer): .double(Double(statement.int64(at: place)))
        case (.date, .integer): .date(Double(statement.int64(at: place)))
        default: statement.slot(at: place, as: kind)
        }
    }
}
