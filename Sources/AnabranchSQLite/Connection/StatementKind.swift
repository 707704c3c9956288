import CSQLite

/// The category of a statement in ``ConnectionStatistics``.
enum StatementKind {
    /// The statement returns rows and changes nothing.
    case select
    /// The statement changes the file: rows or schema.
    case write
    /// Any other statement: PRAGMA, EXPLAIN, ATTACH and the control of transactions.
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

    /// The first word of the statement in upper case, after any comments.
    private static func firstKeyword(of handle: OpaquePointer) -> String {
        guard let sql = sqlite3_sql(handle) else { return "" }
        // SQLite ends the statement's text with a NUL, which is in none of these ranges.
        var place = UnsafeRawPointer(sql).assumingMemoryBound(to: UInt8.self)
        while true {
            if isSpace(place[0]) {
                place += 1
            } else if place[0] == UInt8(ascii: "-") {
                while place[0] != 0, place[0] != UInt8(ascii: "\n") { place += 1 }
            } else if place[0] == UInt8(ascii: "/") {
                place = end(ofCommentAt: place)
            } else {
                break
            }
        }
        let letters = UnsafeBufferPointer(start: place, count: longestKeyword).prefix {
            $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a
        }
        return String(decoding: letters, as: UTF8.self).uppercased()
    }

    /// More letters than the longest known keyword has.
    ///
    /// The prefix ends at the text's NUL, so no byte after the text is read.
    private static let longestKeyword = 16

    private static func end(ofCommentAt start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        // SQLite compiles no text that begins with a slash but is no comment.
        var place = start + 2
        while place[0] != 0 {
            place += 1
            if place[-1] == UInt8(ascii: "*"), place[0] == UInt8(ascii: "/") { return place + 1 }
        }
        return place
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0d)
    }
}
