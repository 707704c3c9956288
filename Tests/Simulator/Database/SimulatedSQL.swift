import AnabranchSQLite
import AnabranchServer
import Foundation
import Synchronization

/// A statement of the server for PostgreSQL, as SQLite understands it.
///
/// The server's statements are plain. They differ from SQLite's in the schema's name, in casts, in
/// arrays that are unnested, in `USING` and in a few types and functions.
struct SimulatedSQL {
    /// A piece of a statement's text. The numbers are those of parameters, counted from zero.
    private enum Piece {
        case text(String)
        case value(Int)
        /// The elements of an array as a list.
        case list(Int)
        /// The elements of arrays as the rows of a table with named columns.
        case table(parameters: [Int], columns: [String], name: String)
    }

    /// Whether the statement changes nothing that is simulated.
    let isSetting: Bool
    /// Whether the statement asks for the identity of the database's history.
    let asksForHistory: Bool
    private let pieces: [Piece]

    private static let known = Mutex<[String: SimulatedSQL]>([:])

    /// Returns the translation of a text, which is made once.
    static func translating(_ sql: String) -> SimulatedSQL {
        if let made = known.withLock({ $0[sql] }) { return made }
        let made = SimulatedSQL(sql)
        known.withLock { $0[sql] = made }
        return made
    }

    private init(_ sql: String) {
        var text = sql
        for (postgres, sqlite) in Self.words {
            text = text.replacingOccurrences(of: postgres, with: sqlite)
        }
        for (pattern, template) in Self.patterns {
            text = text.replacingOccurrences(
                of: pattern, with: template, options: .regularExpression)
        }
        pieces = Self.pieces(of: text)
        isSetting = Self.settings.contains { sql.contains($0) }
        asksForHistory = sql.contains("pg_control_system")
    }

    private static let settings = [
        "set_config", "pg_advisory_xact_lock", "CREATE SCHEMA", "_timeout = ", "SET client_min",
        "SET plan_cache_mode", "SET enable_", "SET jit",
    ]

    private static let words = [
        ("anabranch.", ""), ("octet_length", "length"), (" COLLATE \"C\"", ""),
        (" FOR UPDATE", ""), ("timestamptz NOT NULL DEFAULT now()", "text"),
    ]

    private static let patterns = [
        (#"::[a-z]+(\[\])?"#, ""),
        (
            #"(?s)^DELETE FROM (\w+) AS (\w+)\s+USING (unnest\([^)]*\) AS \w+\([^)]*\))"#
                + #"\s+WHERE (.*)"#,
            "DELETE FROM $1 AS $2 WHERE EXISTS (SELECT 1 FROM $3 WHERE $4)"
        ),
    ]

    private static let parameters = try? NSRegularExpression(
        pattern: #"unnest\(([^)]*)\)\s+AS\s+(\w+)\(([^)]*)\)|=\s*ANY\(\$(\d+)\)|\$(\d+)"#)

    private static func pieces(of text: String) -> [Piece] {
        let whole = text as NSString
        var pieces: [Piece] = []
        var end = 0
        func group(_ number: Int, of match: NSTextCheckingResult) -> String? {
            let range = match.range(at: number)
            return range.location == NSNotFound ? nil : whole.substring(with: range)
        }
        let matches =
            parameters?.matches(in: text, range: NSRange(location: 0, length: whole.length)) ?? []
        for match in matches {
            let start = match.range.location
            pieces.append(.text(whole.substring(with: NSRange(end..<start))))
            end = start + match.range.length
            if let arrays = group(1, of: match), let name = group(2, of: match) {
                pieces.append(
                    .table(
                        parameters: words(in: arrays).compactMap { Int($0.dropFirst()) }
                            .map { $0 - 1 },
                        columns: words(in: group(3, of: match) ?? ""), name: name))
            } else if let number = group(4, of: match).flatMap({ Int($0) }) {
                pieces.append(.list(number - 1))
            } else if let number = group(5, of: match).flatMap({ Int($0) }) {
                pieces.append(.value(number - 1))
            }
        }
        return pieces + [.text(whole.substring(from: end))]
    }

    private static func words(in list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The text with a placeholder for each value, and the values in their order.
    func bound(to parameters: [PostgreSQLValue]) -> (text: String, values: [SQLiteValue]) {
        var text = ""
        var values: [SQLiteValue] = []
        for piece in pieces {
            switch piece {
            case .text(let words): text += words
            case .value(let number):
                text += "?"
                values += parameters[number].elements
            case .list(let number):
                let elements = parameters[number].elements
                text += "IN (\(Self.places(elements.count)))"
                values += elements
            case .table(let numbers, let columns, let name):
                let arrays = numbers.map { parameters[$0].elements }
                text += Self.table(columns, rows: arrays.first?.count ?? 0) + " AS \(name)"
                for row in arrays[0].indices { values += arrays.map { $0[row] } }
            }
        }
        return (text, values)
    }

    private static func places(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    private static func table(_ columns: [String], rows: Int) -> String {
        guard rows > 0 else {
            return "(SELECT \(columns.map { "NULL AS \($0)" }.joined(separator: ", ")) WHERE 0)"
        }
        let named = columns.enumerated().map { "column\($0 + 1) AS \($1)" }
        let row = "(\(places(columns.count)))"
        return "(SELECT \(named.joined(separator: ", ")) FROM (VALUES "
            + Array(repeating: row, count: rows).joined(separator: ", ") + "))"
    }
}

extension PostgreSQLValue {
    /// The value, or the elements of an array.
    fileprivate var elements: [SQLiteValue] {
        switch self {
        case .null: [.null]
        case .integer(let number): [.integer(number)]
        case .bytes(let bytes): [.blob(bytes)]
        case .text(let text): [.text(text)]
        case .integers(let numbers): numbers.map { .integer($0) }
        case .blobs(let blobs): blobs.map { $0.map { .blob($0) } ?? .null }
        }
    }
}

extension SQLiteValue {
    /// The value in PostgreSQL's binary form; `nil` for NULL.
    var postgreSQLBytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .real(let number): Array("\(number)".utf8)
        case .text(let text): Array(text.utf8)
        case .blob(let bytes): bytes
        }
    }
}
