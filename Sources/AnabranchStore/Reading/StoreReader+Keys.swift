import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

// Reads that also give what the query sorts by, for those who keep its results in order.
extension StoreReader {
    /// The IDs that a query finds, in its order, each with its keys: one for each sort.
    ///
    /// - Parameter ids: The only records that are looked at; `nil`: any. Then no other column is
    ///   read, so an index alone can answer, and the rows' versions are `none`.
    package func keyedObjects(
        _ query: FetchQuery, among ids: [LocalID]? = nil,
        _ body: (_ entityIndex: Int, LocalID, RowVersion, [Value]) throws -> Void
    ) throws {
        let isMixed = schema.layout(of: query.entity).table.hasDiscriminator
        var columns = ["t0.ab_pk"]
        if isMixed { columns.append("t0.ab_entity") }
        if ids != nil { columns.append("t0.ab_version") }
        let statement = try prepared(
            query, among: ids, selecting: .rowsAndKeys(columns.joined(separator: ", ")))
        let keys = KeyColumns(query.sorts, from: columns.count)
        while try statement.step() {
            let entity = isMixed ? schema.entity(numbered: statement.int64(at: 1)) : query.entity
            guard let entity else { continue }
            let version = ids == nil ? .none : RowVersion(statement.int64(at: columns.count - 1))
            try body(entity.index, statement.int64(at: 0), version, keys.read(statement))
        }
    }

    /// The rows that a query finds, in its order, each with its keys: one for each sort.
    ///
    /// - Parameter ids: The only records that are looked at; `nil`: any.
    package func keyedRows(
        _ query: FetchQuery, among ids: [LocalID]? = nil,
        _ body: (StoredRow, [Value]) throws -> Void
    ) throws {
        let selection = RowSelection(query.entity, schema: schema)
        let statement = try prepared(
            query, among: ids, selecting: .rowsAndKeys(selection.sql(alias: "t0")))
        let keys = KeyColumns(query.sorts, from: statement.columnCount - query.sorts.count)
        try read(statement, selection) { try body($0, keys.read(statement)) }
    }

    /// A digest of what tells one state of the file from another: equal digests of one file mean
    /// equal rows. It may differ though no row does.
    package func contentDigest() throws -> Digest {
        var state = try StoreState.read(connection)
        // Reserving numbers for objects to come changes no row.
        state.nextNumber = 0
        var writer = ByteWriter()
        writer.append(string: "\(state)")
        writer.append(signed: try logPosition())
        if let replica = try replicas()[state.ordinal] { writer.append(replica: replica) }
        var digest = DigestBuilder()
        digest.update(writer.bytes)
        return digest.finish()
    }
}

/// Where a statement has the keys of its rows, and in which form.
private struct KeyColumns {
    private let kinds: [ColumnKind]
    private let first: Int

    init(_ sorts: [ResolvedSort], from first: Int) {
        kinds = sorts.map(\.keyKind)
        self.first = first
    }

    func read(_ statement: Statement) -> [Value] {
        kinds.indices.map { statement.unsafeColumn(at: first + $0).slot(as: kinds[$0]) }
    }
}

extension ResolvedSort {
    fileprivate var keyKind: ColumnKind {
        switch operand {
        case .attribute(_, let attribute):
            let kind = ColumnKind(attribute.type)
            // What is folded is text, whatever it was before.
            return options.isEmpty || kind != .uri ? kind : .text
        case .count: return .integer
        case .record, .object: return .reference
        case .constant: return .data
        }
    }
}
