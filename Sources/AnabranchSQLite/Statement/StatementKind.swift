import CSQLite

/// What a statement counts as in ``ConnectionStatistics``.
enum StatementKind {
    /// Returns rows and changes nothing.
    case select
    /// Changes the file: rows or schema.
    case write
    /// PRAGMA, EXPLAIN, ATTACH and the control of transactions.
    case other

    init(_ handle: OpaquePointer) {
        switch Self.firstKeyword(of: handle) {
        case "SELECT", "WITH", "VALUES":
            self = sqlite3_stmt_readonly(handle) != 0 ? .select : .write
        case "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "REINDEX",
            "ANALYZE", "VACUUM":
            self = .write
        default:
            self = .other
        }
    }

    /// In upper case; SQLite has ended the statement's text with a NUL. Comments before it are
    /// skipped.
    private static func firstKeyword(of handle: OpaquePointer) -> String {
        guard let sql = sqlite3_sql(handle) else { return "" }
        var rest = String(cString: sql).utf8[...]
        while let first = rest.first {
            if first == UInt8(ascii: "-") {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if first == UInt8(ascii: "/") {
                rest = afterComment(rest)
            } else if !isSpace(first) {
                break
            } else {
                rest = rest.dropFirst()
            }
        }
        return String(
            decoding: rest.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a }, as: UTF8.self
        )
        .uppercased()
    }

    private static func afterComment(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var rest = text.dropFirst(2)
        while let first = rest.first {
            rest = rest.dropFirst()
            if first == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") {
                return rest.dropFirst()
            }
        }
        return rest
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0d)
    }
}
