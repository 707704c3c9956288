import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

// Reads that also return the sort keys of a query, for callers that keep its results in order.
extension StoreReader {
    /// Calls the body for each ID that a query finds, in its order, with one key for each sort.
    ///
    /// - Parameter ids: The only records to consider; `nil` for any. With `nil` no other column is
    ///   read, so an index alone can answer, and the versions are `none`.
    package func keyedObjects(
        _ query: FetchQuery, among ids: [LocalID]? = nil,
        _ body: (_ entityIndex: Int, LocalID, RowVersion, [PropertyValue]) throws -> Void
    ) throws {
        let isMixed = schema.layout(of: query.entity).table.hasDiscriminator
        var columns = ["t0.ab_pk"]
        if isMixed { columns.append("t0.ab_entity") }
        if ids != nil { columns.append("t0.ab_version") }
        let statement = try prepared(query, among: ids, selecting: .rowsAndKeys(columns))
        let keys = KeyColumns(query.sorts, from: columns.count)
        try forEachRow(of: statement) { row in
            let entity = isMixed ? schema.entity(numbered: row[1].int64) : query.entity
            guard let entity else { return }
            let version = ids == nil ? .none : RowVersion(row[columns.count - 1].int64)
            try body(entity.index, row[0].int64, version, keys.read(row))
        }
    }

    /// Calls the body for each row that a query finds, in its order, with one key for each sort.
    ///
    /// - Parameter ids: The only records to consider; `nil` for any.
    package func keyedRows(
        _ query: FetchQuery, among ids: [LocalID]? = nil,
        _ body: (StoredRow, [PropertyValue]) throws -> Void
    ) throws {
        let selection = schema.rowSelection(of: query.entity)
        let statement = try prepared(query, among: ids, selecting: .rowsAndKeys(selection.terms))
        let keys = KeyColumns(query.sorts, from: statement.columnCount - query.sorts.count)
        try withExtendedLifetime(selection) {
            try forEachRow(of: statement) { try body(try selection.row($0), keys.read($0)) }
        }
    }

    /// A digest that identifies the state of the file: equal digests of one file mean equal rows.
    ///
    /// Digests may differ although all rows are equal.
    package func contentDigest() throws -> Digest {
        var state = try StoreState.read(connection)
        // Reserving numbers for future objects changes no row.
        state.nextNumber = 0
        state.placed = 0
        var writer = ByteWriter()
        writer.append(string: "\(state)")
        writer.append(signed: try logPosition())
        if let replica = try replicas()[state.ordinal] { writer.append(replica: replica) }
        var digest = DigestBuilder()
        digest.update(writer.bytes)
        return digest.finish()
    }
}

/// The positions and forms of the key columns in a statement.
private struct KeyColumns {
    private let forms: [KeyForm]
    private let first: Int

    init(_ sorts: [ResolvedSort], from first: Int) {
        forms = sorts.map(\.keyForm)
        self.first = first
    }

    func read(_ row: UnsafeRow) -> [PropertyValue] {
        forms.indices.map { forms[$0].read(row[first + $0]) }
    }
}

/// The form in which a statement gives the key of a sort.
private enum KeyForm {
    case stored(ColumnKind)
    /// A computed number, which is an integer or a double from row to row.
    case number

    func read(_ column: UnsafeColumn) -> PropertyValue {
        switch self {
        case .stored(let kind): column.slot(as: kind)
        case .number: column.slot(as: column.type == .integer ? .integer : .real)
        }
    }
}

extension ResolvedSort {
    fileprivate var keyForm: KeyForm {
        if operand.isObject { return .stored(.reference) }
        let kind = operand.type.map { ColumnKind($0) } ?? .data
        if kind == .text || kind == .uri, !options.isEmpty {
            // A folded value is text, whatever its type was.
            return .stored(options.contains(.localeSensitive) ? .data : .text)
        }
        if case .attribute = operand { return .stored(kind) }
        return kind == .integer || kind == .real ? .number : .stored(kind)
    }
}
