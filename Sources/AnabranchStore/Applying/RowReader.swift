import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Reads a table's rows with who wrote them, one by one, or those of a stretch of IDs in one pass
/// of a cursor, for which SQLite takes half as long.
///
/// The last row that was read may be asked for its columns until the next one is, or until the
/// reader leaves it, which has to happen before anybody writes to the table.
final class RowReader {
    private let transaction: WriteTransaction
    private let layout: EntityLayout
    private let names: [String]
    private let single: Statement
    private let columns: HeldColumns?

    // Every row touches what is marked `unchecked`; a transaction is confined to one thread.

    /// What will be asked for, in this order, and how much of it was.
    @exclusivity(unchecked) private var expected: [LocalID] = []
    @exclusivity(unchecked) private var askedCount = 0
    /// Goes over a stretch of them: how many of all are asked for with its last, `nil` while it
    /// does not, and the row that it stands on.
    @exclusivity(unchecked) private var cursor: Statement?
    @exclusivity(unchecked) private var stretchEnd: Int?
    @exclusivity(unchecked) private var present: LocalID?

    /// - Parameter properties: Whose values will be asked for, and are read with the row.
    init(
        _ transaction: WriteTransaction, layout: EntityLayout,
        reading properties: [TableLayout.Property] = []
    ) throws {
        self.transaction = transaction
        self.layout = layout
        names = properties.flatMap(\.names)
        single = try transaction.connection.cached(
            names.isEmpty ? layout.versionSQL : layout.versionSQL(before: names))
        columns = names.isEmpty ? nil : HeldColumns(first: 3, properties, of: layout.entity)
    }

    /// Says which rows will be asked for next, each once and in this order.
    func expect(_ ids: [LocalID]) {
        expected = ids
        askedCount = 0
    }

    /// - Returns: `nil` where the record is not held under the layout's entity.
    func row(_ id: LocalID) throws -> HeldRow? {
        columns?.leave()
        guard let statement = try statement(on: id) else { return nil }
        guard statement.int64(at: 0) == layout.number else {
            if stretchEnd == nil { leave() }
            return nil
        }
        let writes = try statement.writes(at: 1)
        columns?.stand(on: id, of: statement)
        if columns == nil, stretchEnd == nil { leave() }
        return HeldRow(id: id, writes: writes, layout: layout, columns: columns)
    }

    /// Ends the reading of what was read last.
    func leave() {
        columns?.leave()
        single.reset()
        cursor?.reset()
        stretchEnd = nil
        present = nil
    }

    /// - Returns: Standing on the row; `nil` where there is none.
    private func statement(on id: LocalID) throws -> Statement? {
        let isExpected = askedCount < expected.count && expected[askedCount] == id
        if isExpected { askedCount += 1 }
        if stretchEnd.map({ !isExpected || askedCount > $0 }) ?? true {
            leave()
            guard isExpected, try begin(with: id) else {
                try single.bind(id, at: 1)
                return try single.step() ? single : nil
            }
        }
        while let present, present < id { try advance() }
        return present == id ? cursor : nil
    }

    /// Puts a cursor on the expected rows from the present one on, as far as they are close.
    ///
    /// - Returns: Whether there are enough of them.
    private func begin(with first: LocalID) throws -> Bool {
        var end = askedCount
        let most = min(askedCount - 1 + TableLayout.rowsAtOnce, expected.count)
        while end < most, (1...Self.widestGap).contains(expected[end] - expected[end - 1]) {
            end += 1
        }
        guard end - askedCount + 1 >= Self.leastStretch else { return false }
        let cursor =
            try self.cursor ?? transaction.connection.cached(layout.stretchSQL(before: names))
        self.cursor = cursor
        try cursor.bind(first, at: 1)
        try cursor.bind(expected[end - 1], at: 2)
        stretchEnd = end
        try advance()
        return true
    }

    /// Between two rows that are asked for the cursor passes over fewer than this.
    private static let widestGap: LocalID = 4
    private static let leastStretch = 4

    private func advance() throws {
        guard let cursor, try cursor.step() else {
            present = nil
            return
        }
        present = cursor.int64(at: 3 + names.count)
    }
}
