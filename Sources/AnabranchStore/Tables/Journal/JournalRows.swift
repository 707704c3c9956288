import AnabranchReplication
import AnabranchSQLite

/// The entries that one transaction adds to the conflict journal.
///
/// Entries are written several at a time, which takes SQLite less than half the time. So code that
/// reads the journal within the transaction calls `write()` first. The end of the transaction does
/// it too.
final class JournalRows {
    private static let columns = [
        "kind", "record", "subject", "value", "hlc", "by", "author", "winner_hlc", "winner_by",
        "winner_author", "winner_value", "noticed",
    ]
    private static let rowsAtOnce = 16
    /// The size of one entry from which it is written at once, without waiting for more entries.
    private static let maximumBytesWaiting = 1 << 20

    private let connection: Connection

    // Every discarded value accesses the properties marked `unchecked`; a transaction is confined
    // to one thread.
    @exclusivity(unchecked) private var waiting: [Row] = []
    /// The entries written so far, in their order, with the numbers of their properties.
    @exclusivity(unchecked)
    private(set) var written: [(id: Int64, record: LocalID, subject: Int64)] = []

    /// The property that an entry is about.
    private struct Subject: Hashable {
        let entity: WireName
        let property: WireProperty
    }

    private struct Row {
        let loss: DiscardedWrite
        let subject: Int64
        let author: SQLiteValue
        let winningAuthor: SQLiteValue
        let noticed: Int64
    }

    private var subjects: [Subject: Int64] = [:]
    private var entities: [Int64: WireName] = [:]
    @exclusivity(unchecked) private var recentSubjects = RecentPair<Subject, Int64>()
    private var authors: [String: Int64] = [:]

    init(_ connection: Connection) { self.connection = connection }

    /// Adds an entry.
    ///
    /// - Parameter winningAuthor: The author of the winner; `nil` if the loss names no winner.
    func add(
        _ loss: DiscardedWrite, author: String, winningAuthor: String?, noticed: Int64
    ) throws {
        waiting.append(
            Row(
                loss: loss, subject: try number(of: loss),
                author: try number(ofAuthor: author),
                winningAuthor: try number(ofAuthor: winningAuthor ?? ""), noticed: noticed))
        let byteCount = Self.byteCount(of: loss)
        if waiting.count == Self.rowsAtOnce || byteCount > Self.maximumBytesWaiting { try write() }
    }

    // MARK: - Shared subjects and authors

    private func number(of loss: DiscardedWrite) throws -> Int64 {
        let subject = Subject(entity: loss.entity, property: loss.property)
        return try recentSubjects.value(of: subject) {
            if let number = subjects[subject] { return number }
            let number = try number(
                in: "ab_conflict_subject", "entity", "property", "type", "rule",
                values: .text(subject.entity.string), .text(subject.property.name.string),
                .integer(Int64(subject.property.type.rawValue)),
                .integer(Int64(subject.property.rule.rawValue)))
            subjects[subject] = number
            entities[number] = subject.entity
            return number
        }
    }

    /// The entity of a property that this transaction has named.
    func entity(ofSubject number: Int64) -> WireName? { entities[number] }

    /// The number of an author in the journal; NULL for an empty name.
    func number(ofAuthor name: String) throws -> SQLiteValue {
        guard !name.isEmpty else { return .null }
        if let number = authors[name] { return .integer(number) }
        let number = try number(in: "ab_conflict_author", "name", values: .text(name))
        authors[name] = number
        return .integer(number)
    }

    /// The number of the row with some values; the row is inserted if it does not exist.
    private func number(
        in table: String, _ columns: String..., values: SQLiteValue...
    ) throws -> Int64 {
        let terms = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let select = try connection.cached("SELECT id FROM \(table) WHERE \(terms)")
        for (index, value) in values.enumerated() { try select.bind(value, at: index + 1) }
        if try select.step() {
            defer { select.reset() }
            return select.int64(at: 0)
        }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let insert = try connection.cached(
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
        for (index, value) in values.enumerated() { try insert.bind(value, at: index + 1) }
        try insert.run()
        return connection.lastInsertRowID
    }

    // MARK: - Writing

    /// True if no entry was added.
    var isUnused: Bool { waiting.isEmpty && written.isEmpty }

    /// True if entries are waiting to be written.
    var hasUnwritten: Bool { !waiting.isEmpty }

    /// Writes the entries that are waiting.
    func write() throws {
        guard hasUnwritten else { return }
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
            written.append((first + Int64(offset), row.loss.record, row.subject))
        }
    }

    private func bind(_ row: Row, to statement: Statement, behind before: Int) throws {
        let loss = row.loss
        try statement.bind(loss.kind.rawValue, at: before + 1)
        try statement.bind(loss.record, at: before + 2)
        try statement.bind(row.subject, at: before + 3)
        try statement.bind(Self.tagged(loss.value), at: before + 4)
        try statement.bind(Int64(bitPattern: loss.lost.timestamp), at: before + 5)
        try statement.bind(loss.lost.ordinal, at: before + 6)
        try statement.bind(row.author, at: before + 7)
        if let winner = loss.winner {
            try statement.bind(Int64(bitPattern: winner.timestamp), at: before + 8)
            try statement.bind(winner.ordinal, at: before + 9)
        } else {
            for index in 8...9 { try statement.bindNull(at: before + index) }
        }
        try statement.bind(row.winningAuthor, at: before + 10)
        // No row can hold both values together. The winning value is left out, because the record
        // has it.
        let isTold = Self.byteCount(of: loss) <= Limits.largestPart
        try statement.bind(isTold ? loss.winningValue.map(Self.tagged) : nil, at: before + 11)
        try statement.bind(row.noticed, at: before + 12)
    }

    private static func byteCount(of loss: DiscardedWrite) -> Int {
        loss.value.byteEstimate + (loss.winningValue?.byteEstimate ?? 0)
    }

    private static let ofOneRow = sql(ofRows: 1)
    private static let ofManyRows = sql(ofRows: rowsAtOnce)

    private static func sql(ofRows count: Int) -> String {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let rows = Array(repeating: "(\(marks))", count: count).joined(separator: ", ")
        return "INSERT INTO ab_conflict (\(columns.joined(separator: ", "))) VALUES \(rows)"
    }

    static func tagged(_ value: PropertyValue) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 16)
        writer.append(tagged: value)
        return writer.bytes
    }
}
