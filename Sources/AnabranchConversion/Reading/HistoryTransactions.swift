import AnabranchReplication
import AnabranchSQLite

/// Reads the transactions of a source's persistent history, in the order of their numbers.
struct HistoryTransactions {
    /// A transaction of the history.
    struct Transaction {
        let number: Int64
        /// The time in milliseconds since 1970-01-01 UTC. It is not before that of the transaction
        /// before.
        let milliseconds: Int64
        let author: String
        let contextName: String
    }

    private let table: SourceTable
    private let strings: [Int64: String]
    private let doubts: DoubtList
    /// The greatest time that is taken for one, in milliseconds since 1970-01-01 UTC.
    private let latest: Int64
    /// True if a time was not taken for one because it is greater than the latest.
    private(set) var hasLaterTimes = false

    /// The beginning of Core Data's calendar, in milliseconds since 1970-01-01 UTC.
    static let calendarBeginning: Int64 = 978_307_200_000

    /// - Returns: `nil` if the table lacks the columns that make a history.
    init?(
        _ table: SourceTable, strings: SourceTable?, _ connection: Connection, latest: Int64,
        _ doubts: DoubtList
    ) throws {
        guard table.hasColumns(["Z_PK", "ZTIMESTAMP"]) else { return nil }
        self.table = table
        self.latest = latest
        self.doubts = doubts
        self.strings = try strings.map { try Self.strings($0, connection) } ?? [:]
    }

    private static func strings(
        _ table: SourceTable, _ connection: Connection
    ) throws -> [Int64: String] {
        guard table.hasColumns(["Z_PK", "ZNAME"]) else { return [:] }
        var strings: [Int64: String] = [:]
        let statement = try connection.prepare("SELECT Z_PK, ZNAME FROM \(table.quotedName)")
        while try statement.step() { strings[statement.int64(at: 0)] = statement.string(at: 1) }
        return strings
    }

    mutating func all(_ connection: Connection) throws -> [Transaction] {
        let columns = [
            "Z_PK", "ZTIMESTAMP", "ZAUTHORTS", "ZAUTHOR", "ZCONTEXTNAMETS", "ZCONTEXTNAME",
        ].map { table.hasColumns([$0]) ? $0 : "NULL" }
        let statement = try connection.prepare(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table.quotedName) ORDER BY Z_PK")
        var found: [Transaction] = []
        while try statement.step() {
            let number = statement.int64(at: 0)
            let time = time(
                statement.value(at: 1), of: number,
                after: found.last?.milliseconds ?? Self.calendarBeginning)
            found.append(
                Transaction(
                    number: number, milliseconds: time,
                    author: text("author", of: number, statement, at: 2),
                    contextName: text("context name", of: number, statement, at: 4)))
        }
        return found
    }

    /// The time of a transaction; that of the transaction before if it is none that can be.
    private mutating func time(_ found: SQLiteValue, of number: Int64, after previous: Int64)
        -> Int64
    {
        let seconds: Double? =
            switch found {
            case .real(let seconds): seconds
            case .integer(let seconds): Double(seconds)
            case .null, .text, .blob: nil
            }
        let milliseconds = seconds.flatMap { seconds in
            Int64(exactly: (seconds * 1000).rounded(.down))?
                .addingReportingOverflow(Self.calendarBeginning)
        }
        if let milliseconds, !milliseconds.overflow,
            (previous...max(previous, latest)).contains(milliseconds.partialValue)
        {
            return milliseconds.partialValue
        }
        if let milliseconds, milliseconds.overflow || milliseconds.partialValue > latest {
            hasLaterTimes = true
        }
        let text = seconds.map { ValueText.text(of: .date($0)) } ?? "no time"
        doubts.add(
            history: "\(text) of transaction \(number)",
            stored: "the time of the transaction before it")
        return previous
    }

    /// A text that is in the table of strings, or in the transaction itself as older systems wrote
    /// it.
    private func text(
        _ name: String, of number: Int64, _ statement: Statement, at column: Int
    ) -> String {
        var text = statement.string(at: column + 1)
        if !statement.isNull(at: column) {
            let key = statement.int64(at: column)
            if let string = strings[key] {
                text = string
            } else {
                doubts.add(
                    history: "the missing string \(key) as the \(name) of transaction \(number)",
                    stored: text.isEmpty ? "no \(name)" : ValueText.text(of: .string(text)))
            }
        }
        guard text.utf8.count > Limits.longestName else { return text }
        var shorter = text
        while shorter.utf8.count > Limits.longestName { shorter.removeLast() }
        doubts.add(
            history: "\(text.utf8.count) bytes as the \(name) of transaction \(number)",
            stored: "the first \(shorter.utf8.count) bytes")
        return shorter
    }
}

extension SourceTable {
    /// True if the table has columns of these names.
    func hasColumns(_ names: [String]) -> Bool {
        Set(names).isSubset(of: columns.map { $0.uppercased() })
    }
}
