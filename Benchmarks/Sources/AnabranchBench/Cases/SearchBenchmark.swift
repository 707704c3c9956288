import Anabranch
import CRawSQLite
import Foundation

/// Searches texts for words and reads the best objects.
struct SearchBenchmark: Benchmark {
    static let name = "search"
    static let summary = "the 20 best of the texts with a word, for 50 words"

    private static let bestCount = 20
    private static let sql = """
        SELECT n.id, n.title, n.body FROM words JOIN note n ON n.id = words.rowid
        WHERE words MATCH ? ORDER BY rank LIMIT \(bestCount)
        """

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let texts = NoteTexts(count: workbench.rows)
        try Self.fill(try RawDatabase(path: workbench.path("raw")), texts)
        try Self.fill(try Self.open(workbench.path("store")), texts)
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let database = try RawDatabase(path: workbench.path("raw"))
            return try ContinuousClock().measure { try Self.search(database, texts.queries) }
        } ours: { _ in
            let container = try Self.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                try ContinuousClock().measure { try Self.search(context, texts.queries) }
            }
        }
        return [
            .share(
                "best texts of a search", rows: workbench.rows, times, goal: 0.8,
                cause: "Objects are made of the rows, and of equal ranks the first ID wins.")
        ]
    }

    // MARK: Raw

    private static func fill(_ database: RawDatabase, _ texts: NoteTexts) throws {
        try database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
        try database.run(
            """
            CREATE VIRTUAL TABLE words USING fts5(title, body, content = 'note',
            content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2')
            """)
        try database.transaction("INSERT INTO note (title, body) VALUES (?, ?)") { statement in
            for (title, body) in texts.all {
                title.withCString { title in
                    body.withCString { body in
                        sqlite3_bind_text(statement, 1, title, -1, nil)
                        sqlite3_bind_text(statement, 2, body, -1, nil)
                        sqlite3_step(statement)
                        sqlite3_reset(statement)
                    }
                }
            }
        }
        try database.run("INSERT INTO words (words) VALUES ('rebuild')")
    }

    private static func search(_ database: RawDatabase, _ queries: [String]) throws {
        let statement = try database.prepare(sql)
        defer { sqlite3_finalize(statement) }
        for query in queries {
            var found: [(Int64, String, String)] = []
            query.withCString { query in
                sqlite3_bind_text(statement, 1, query, -1, nil)
                while sqlite3_step(statement) == SQLITE_ROW {
                    found.append(
                        (
                            sqlite3_column_int64(statement, 0),
                            String(cString: sqlite3_column_text(statement, 1)),
                            String(cString: sqlite3_column_text(statement, 2))
                        ))
                }
                sqlite3_reset(statement)
            }
            guard found.count == bestCount else { throw Unexpected("found \(found.count) rows") }
        }
    }

    // MARK: Ours

    private static func open(_ path: String) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            EntityDeclaration("Note") {
                AttributeDeclaration("title", .string, searchable: TextSearch())
                AttributeDeclaration("body", .string, searchable: TextSearch())
            }
        }
        let container = PersistentContainer(
            model: model, classes: [], url: URL(fileURLWithPath: path))
        try container.load()
        return container
    }

    private static func fill(_ container: PersistentContainer, _ texts: NoteTexts) throws {
        try container.newBackgroundContext().performAndWait { context in
            for (place, (title, body)) in texts.all.enumerated() {
                let note = try context.insert("Note")
                (note["title"], note["body"]) = (.string(title), .string(body))
                if place % 10_000 == 9_999 {
                    try context.save()
                    context.reset()
                }
            }
            try context.save()
        }
    }

    private static func search(_ context: ManagedObjectContext, _ queries: [String]) throws {
        var request = FetchRequest<ManagedObject>(entityName: "Note")
        request.sorts = [FetchSort("@relevance", ascending: false)]
        request.fetchLimit = bestCount
        for query in queries {
            request.predicate = try FetchPredicate("SELF MATCHES[s] %@", query)
            let found = try context.fetch(request)
            guard found.count == bestCount else { throw Unexpected("found \(found.count) rows") }
        }
    }
}

/// Texts of words, of which few are common and many are rare.
private struct NoteTexts {
    private(set) var all: [(title: String, body: String)] = []
    /// Words that some hundred texts have.
    let queries: [String]

    private static let maximumVocabulary = 20_000
    /// Few texts have fewer words, so that each query finds hundreds of them too.
    private static let textsForEachWord = 5
    private static let bodyLength = 30

    init(count: Int) {
        let vocabulary = min(Self.maximumVocabulary, count / Self.textsForEachWord)
        var state: UInt64 = 1
        func word() -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let share = Double(state >> 33) / Double(1 << 31)
            return "w\(Int(Double(vocabulary) * share * share))"
        }
        for _ in 0..<count {
            let title = (0..<4).map { _ in word() }.joined(separator: " ")
            let body = (0..<Self.bodyLength).map { _ in word() }.joined(separator: " ")
            all.append((title, body))
        }
        queries = (0..<50).map { "w\(vocabulary / 100 + $0)" }
    }
}
