package import AnabranchModel
import AnabranchSQLite
import Synchronization

/// Decides whether a search for words finds texts that are in no file yet, such as those of an
/// unsaved object.
///
/// It asks SQLite with a table in memory, so the words are the same as in a file.
package final class TextMatcher: Sendable {
    /// The matcher of this process, which all threads use in turn.
    package static let shared = TextMatcher()

    private struct Tables {
        let connection: Connection
        /// The numbers of columns of the tables that are there.
        var columnCounts: Set<Int> = []
    }

    private let tables = Mutex<Tables?>(nil)

    private init() {}

    /// Returns true if the query finds an object with these texts; `nil` is a missing text.
    ///
    /// - Throws: `SQLiteError`.
    package func finds(_ query: TextQuery, in texts: [String?]) throws -> Bool {
        guard let expression = query.expression, !texts.isEmpty else { return false }
        return try tables.withLock { tables in
            var known = try tables ?? Tables(connection: Connection(path: ":memory:"))
            defer { tables = known }
            return try Self.finds(expression, in: texts, &known)
        }
    }

    private static func finds(
        _ expression: String, in texts: [String?], _ tables: inout Tables
    ) throws -> Bool {
        let connection = tables.connection
        let name = "words_\(texts.count)"
        let columns = texts.indices.map { "text_\($0)" }.joined(separator: ", ")
        if !tables.columnCounts.contains(texts.count) {
            try connection.execute(
                """
                CREATE VIRTUAL TABLE \(name) USING fts5(\(columns), content = '',
                tokenize = '\(SearchTable.tokenizer)')
                """)
            tables.columnCounts.insert(texts.count)
        }
        try connection.run("INSERT INTO \(name) (\(name)) VALUES ('delete-all')")
        let marks = texts.map { _ in ", ?" }.joined()
        let insertion = try connection.cached(
            "INSERT INTO \(name) (rowid, \(columns)) VALUES (1\(marks))")
        for (place, text) in texts.enumerated() {
            if let text { try insertion.bind(text, at: place + 1) }
        }
        try insertion.run()
        insertion.reset()
        return try connection.firstValue(
            "SELECT 1 FROM \(name) WHERE \(name) MATCH ?", .text(expression)) != nil
    }
}
