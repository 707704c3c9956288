import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Reads rows of a table with the positions of their writes. It reads single rows, or ranges of IDs
/// with one cursor, which takes SQLite half the time.
///
/// The columns of the last row are available until the next row is read or the reader leaves it.
/// The reader must leave a row before the table is written.
final class RowReader {
    private let transaction: StateTransaction
    private let layout: EntityLayout
    private let names: [String]
    private let single: Statement
    private let columns: HeldColumns?

    // Every row accesses the properties marked `unchecked`; a transaction is confined to one
    // thread.

    /// The rows that will be requested, in this order, and the number requested so far.
    @exclusivity(unchecked) private var expected: [LocalID] = []
    @exclusivity(unchecked) private var askedCount = 0
    /// The cursor over a range of the expected rows, the number of expected rows up to the end of
    /// the range, and the cursor's current row. The end is `nil` while there is no range.
    @exclusivity(unchecked) private var cursor: Statement?
    @exclusivity(unchecked) private var stretchEnd: Int?
    @exclusivity(unchecked) private var present: LocalID?

    /// Creates a reader.
    ///
    /// - Parameter properties: The properties to read together with each row.
    init(
        _ transaction: StateTransaction, layout: EntityLayout,
        reading properties: [TableLayout.Property] = []
    ) throws {
        self.transaction = transaction
        self.layout = layout
        names = properties.flatMap(\.names)
        single = try transaction.connection.cached(
            names.isEmpty ? layout.versionSQL : layout.versionSQL(before: names))
        columns = names.isEmpty ? nil : HeldColumns(first: 3, properties, of: layout.entity)
    }

    /// Announces the rows that will be requested next, each once and in this order.
    func expect(_ ids: [LocalID]) {
        expected = ids
        askedCount = 0
    }

    /// Reads a row.
    ///
    /// - Returns: `nil` if the record is not held under the layout's entity.
    func row(_ id: LocalID) throws -> HeldRow? {
        columns?.leave()
        guard let statement = try statement(on: id) else { return nil }
        guard statement.int64(at: 0) == layout.number else {
            if stretchEnd == nil { leave() }
            return nil
        }
        let writes = try statement.writes(at: 1, layout.table.added)
        columns?.stand(on: id, of: statement)
        if columns == nil, stretchEnd == nil { leave() }
        return HeldRow(id: id, writes: writes, layout: layout, columns: columns)
    }

    /// Ends the access to the row that was read last.
    func leave() {
        columns?.leave()
        single.reset()
        cursor?.reset()
        stretchEnd = nil
        present = nil
    }

    /// Moves to a row.
    ///
    /// - Returns: A statement on the row; `nil` if there is none.
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

    /// Opens a cursor over the expected rows from the current one on, as long as their IDs are
    /// close together.
    ///
    /// - Returns: True if there are enough such rows.
    private func begin(with first: LocalID) throws -> Bool {
        var end = askedCount
        let most = min(askedCount - 1 + TableLayout.rowsAtOnce, expected.count)
        while end < most, (1...Self.widestGap).contains(expected[end] &- expected[end - 1]) {
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

    /// The greatest distance between two requested IDs; the cursor skips the rows between.
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
