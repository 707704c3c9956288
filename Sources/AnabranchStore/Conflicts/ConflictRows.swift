import AnabranchReplication
import AnabranchSQLite

/// The entries that one transaction adds to the conflict journal.
///
/// They are written several at a time, which takes SQLite less than half of the time. So whoever
/// reads the journal within the transaction has them written first; its end does.
final class ConflictRows {
    private static let columns = [
        "kind", "record", "entity", "property", "type", "rule", "value", "hlc", "by", "author",
        "winner_hlc", "winner_by", "winner_author", "winner_value", "noticed",
    ]
    private static let rowsAtOnce = 16

    private let connection: Connection
    private var waiting: [Row] = []
    /// What has been written, in its order, with the entities that it names.
    private(set) var written: [(id: Int64, record: LocalID, entity: WireName)] = []

    private struct Row {
        let loss: ConflictJournal.Loss
        let author: String
        let winningAuthor: String?
        let noticed: Int64
    }

    init(_ connection: Connection) { self.connection = connection }

    /// - Parameter winningAuthor: Where the loss names a winner.
    func add(
        _ loss: ConflictJournal.Loss, author: String, winningAuthor: String?, noticed: Int64
    ) throws {
        waiting.append(
            Row(loss: loss, author: author, winningAuthor: winningAuthor, noticed: noticed))
        if waiting.count == Self.rowsAtOnce { try write() }
    }

    /// Writes what waits.
    func write() throws {
        guard !waiting.isEmpty else { return }
        if waiting.count == Self.rowsAtOnce {
            try write(waiting[...], Self.ofManyRows)
        } else {
            for index in waiting.indices { try write(waiting[index...index], Self.ofOneRow) }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func write(_ rows: ArraySlice<Row>, _ sql: String) throws {
        let statement = try connection.cached(sql)
        for (number, row) in rows.enumerated() {
            try bind(row, to: statement, behind: number * Self.columns.count)
        }
        try statement.run()
        let first = connection.lastInsertRowID - Int64(rows.count) + 1
        for (offset, row) in rows.enumerated() {
            written.append((first + Int64(offset), row.loss.record, row.loss.entity))
        }
    }

    private func bind(_ row: Row, to statement: Statement, behind before: Int) throws {
        let loss = row.loss
        try statement.bind(loss.kind.rawValue, at: before + 1)
        try statement.bind(loss.record, at: before + 2)
        try statement.bind(loss.entity.string, at: before + 3)
        try statement.bind(loss.property.name.string, at: before + 4)
        try statement.bind(Int64(loss.property.type.rawValue), at: before + 5)
        try statement.bind(Int64(loss.property.rule.rawValue), at: before + 6)
        try statement.bind(Self.tagged(loss.value), at: before + 7)
        try statement.bind(Int64(bitPattern: loss.lost.timestamp), at: before + 8)
        try statement.bind(loss.lost.ordinal, at: before + 9)
        try statement.bind(row.author, at: before + 10)
        if let winner = loss.winner {
            try statement.bind(Int64(bitPattern: winner.timestamp), at: before + 11)
            try statement.bind(winner.ordinal, at: before + 12)
            try statement.bind(row.winningAuthor ?? "", at: before + 13)
        } else {
            for index in 11...13 { try statement.bindNull(at: before + index) }
        }
        try statement.bind(loss.winningValue.map(Self.tagged), at: before + 14)
        try statement.bind(row.noticed, at: before + 15)
    }

    private static let ofOneRow = sql(ofRows: 1)
    private static let ofManyRows = sql(ofRows: rowsAtOnce)

    private static func sql(ofRows count: Int) -> String {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let rows = Array(repeating: "(\(marks))", count: count).joined(separator: ", ")
        return "INSERT INTO ab_conflict (\(columns.joined(separator: ", "))) VALUES \(rows)"
    }

    static func tagged(_ value: Value) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 16)
        writer.append(tagged: value)
        return writer.bytes
    }
}
