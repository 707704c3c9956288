import Anabranch
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of searches for words.
@Suite struct `Searches for words` {
    private let library: SearchLibrary

    init() throws { library = try SearchLibrary() }

    /// Queries, and the stars of the articles that they find by title or body.
    private static let found: [(query: String, stars: [Int64])] = [
        ("swift", [0, 1]), ("SWIFT sync", [0]), ("swift AND river", [1]), ("graph", [0, 1]),
        ("\"object graph\"", [0]), ("\"graph object\"", []), ("\"of obj\"*", [1]),
        ("sync*", [0, 2, 3]), ("^rust", [1]), ("^river", []), ("swift OR hair", [0, 1, 2]),
        ("swift NOT rust", [0]), ("(swift OR hair) syncing", [2]), ("kamme", [2]),
        ("CAFÉ", [2]), ("uber façade", [2]), ("NEAR(graph objects, 1)", [1]),
        ("NEAR(object syncs, 0)", []), ("NEAR(object syncs,1)", [0]), ("C++", [3]),
        ("doesn't", [3]), ("foo-bar_baz", [3]), ("\"quoted\"", [3]), ("", []), ("  ", []),
        ("+", []), ("swift +", [0, 1]), ("swift OR +", [0, 1]), ("+ NOT swift", []),
        ("NEAR(+ swift)", [0, 1]), ("nothing", []), ("rank : 3", []), ("title:sync", []),
    ]

    @Test func `the store and memory find the same`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.fill(context)
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Article"))
            for (query, stars) in Self.found {
                #expect(
                    try SearchLibrary.stars("SELF MATCHES[s] %@", query, in: context) == stars,
                    "\(query)")
                let predicate = try FetchPredicate("SELF MATCHES[s] %@", query)
                let matching = try all.filtered(using: predicate)
                #expect(matching.map(SearchLibrary.stars).sorted() == stars, "\(query)")
                let others = try SearchLibrary.stars("NOT SELF MATCHES[s] %@", query, in: context)
                #expect(others == [0, 1, 2, 3].filter { !stars.contains($0) }, "\(query)")
            }
        }
    }

    @Test func `one attribute, related objects and combinations are searched`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.fill(context)
            let cases: [(String, [Int64])] = [
                ("title MATCHES[s] 'swift'", [0]), ("body MATCHES[s] 'swift'", [0, 1]),
                ("author MATCHES[s] 'ada'", [0, 1]), ("author.name MATCHES[s] 'nobody'", []),
                ("title MATCHES[s] 'swift' OR body MATCHES[s] 'hair'", [0, 2]),
                ("title MATCHES[s] 'sync' AND body MATCHES[s] 'graph' AND stars < 3", [0]),
                ("title MATCHES[s] 'rust' OR stars = 3", [1, 3]),
                ("body MATCHES[s] 'swift' AND NOT title MATCHES[s] 'swift'", [1]),
                ("body MATCHES[s] nil", []),
            ]
            for (format, stars) in cases {
                #expect(try SearchLibrary.stars(format, in: context) == stars, "\(format)")
            }
            var authors = FetchRequest<ManagedObject>(entityName: "Author")
            authors.predicate = try FetchPredicate("ANY articles.title MATCHES[s] 'rust'")
            #expect(try context.count(for: authors) == 1)
            authors.predicate = try FetchPredicate(
                "SUBQUERY(articles, $a, $a MATCHES[s] 'swift').@count = 2")
            #expect(try context.count(for: authors) == 1)
        }
    }

    @Test func `unsaved texts are searched too, and saved ones no longer`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.fill(context)
            let new = try SearchLibrary.insert("Swift again", stars: 9, context)
            let old = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Article")).first {
                    SearchLibrary.stars(of: $0) == 0
                })
            (old["title"], old["body"]) = ("Other", "words")
            #expect(try SearchLibrary.stars("SELF MATCHES[s] 'swift'", in: context) == [1, 9])
            let best = [FetchSort("@relevance", ascending: false)]
            #expect(
                try SearchLibrary.stars("SELF MATCHES[s] 'swift'", in: context, sortedBy: best)
                    == [9, 1])
            try context.save()
            #expect(try SearchLibrary.stars("SELF MATCHES[s] 'swift'", in: context) == [1, 9])
            context.delete(new)
            try context.save()
            #expect(try SearchLibrary.stars("SELF MATCHES[s] 'swift'", in: context) == [1])
        }
    }

    @Test func `relevance is that of SQLite, and snippets show the words`() throws {
        let container = try library.open()
        try container.newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.fill(context)
            var request = RowRequest<ManagedObject>(entityName: "Article")
            request.propertiesToFetch = [
                "stars", .relevance(), .snippet("body", as: "text", wordCount: 4),
            ]
            request.predicate = try FetchPredicate("SELF MATCHES[s] 'swift' AND stars >= 0")
            request.sorts = [FetchSort("@relevance", ascending: false)]
            let rows = try context.fetch(request)
            let raw = try Connection(path: library.directory.file("a.anabranch")).rows(
                """
                SELECT a.stars, -bm25(ab_Article_search) FROM ab_Article_search
                JOIN Article a ON a.ab_pk = ab_Article_search.rowid
                WHERE ab_Article_search MATCH 'swift' ORDER BY rank
                """)
            #expect(rows.count == 2 && raw.count == 2)
            for (row, values) in zip(rows, raw) {
                let stars: Int64 = try #require(row["stars"])
                let relevance: Double = try #require(row["relevance"])
                #expect(values == [.integer(stars), .real(relevance)])
            }
            #expect(
                rows.map { $0["text"] as String? } == [
                    "…graph syncs, in [Swift].", "…and a [swift] river.",
                ])
            #expect(
                try SearchLibrary.stars(
                    "title MATCHES[s] 'sync' OR body MATCHES[s] 'swift'", in: context,
                    sortedBy: request.sorts) == [0, 1])
        }
    }

    @Test func `an explanation says that an index of words is searched`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.fill(context)
            func explain(_ predicate: FetchPredicate, limit: Int = 0) throws -> FetchExplanation {
                var request = FetchRequest<ManagedObject>(entityName: "Article")
                request.predicate = predicate
                request.fetchLimit = limit
                return try request.explain(in: context)
            }
            for limit in [0, 1] {
                let found = try explain(FetchPredicate("SELF MATCHES[s] 'swift'"), limit: limit)
                #expect(found.searchesWords && found.scannedRowCount == 0)
                #expect(found.description.contains("rows found by an index of words, "))
            }
            let either = try explain(FetchPredicate("SELF MATCHES[s] 'swift' OR stars > 2"))
            #expect(either.searchesWords && either.scannedRowCount > 0)
            #expect(either.description.contains("words, \(either.scannedRowCount) rows scanned"))
            let listed = try explain(FetchPredicate("stars IN %@", Array(0..<1000)))
            #expect(!listed.searchesWords)
        }
    }

    @Test func `windows of the best objects are windows of all of them`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            // Many ranks are equal: then the first ID wins.
            for number in 0..<60 {
                let body = Array(repeating: "swift", count: number % 5 + 1).joined(separator: " a ")
                try SearchLibrary.insert("Number", body, stars: Int64(number), context)
            }
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Article")
            request.sorts = [FetchSort("@relevance", ascending: false)]
            request.predicate = try FetchPredicate("SELF MATCHES[s] 'swift'")
            let all = try context.objectIDs(for: request)
            #expect(all.count == 60)
            for (limit, offset) in [(1, 0), (7, 0), (7, 7), (20, 50), (100, 0), (5, 60), (0, 3)] {
                (request.fetchLimit, request.fetchOffset) = (limit, offset)
                let rest = Array(all.dropFirst(offset).prefix(limit > 0 ? limit : 60))
                for format in ["SELF MATCHES[s] 'swift'", "body MATCHES[s] 'swift' AND stars >= 0"]
                {
                    request.predicate = try FetchPredicate(format)
                    #expect(try context.objectIDs(for: request) == rest, "\(limit) \(offset)")
                    #expect(try context.fetch(request).map(\.objectID) == rest)
                }
            }
        }
    }

    @Test func `what cannot be searched or ranked is refused with the reason`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            let best = [FetchSort("@relevance")]
            func refused(_ format: String, sortedBy sorts: [FetchSort] = []) -> String {
                do {
                    _ = try SearchLibrary.stars(format, in: context, sortedBy: sorts)
                    return "nothing"
                } catch let error as FetchPredicateError {
                    return "\(error.code.rawValue): \(error.message)"
                } catch { return "\(error)" }
            }
            let cases: [(String, [FetchSort], String)] = [
                ("stars MATCHES[s] 'a'", [], "not-searchable: Can't search Article.stars"),
                ("title.length MATCHES[s] 'a'", [], "not-searchable: "),
                ("title CONTAINS[s] 'a'", [], "not-evaluable: Can't search with 'CONTAINS[s]'"),
                ("title MATCHES[cs] 'a'", [], "not-evaluable: Can't search with 'MATCHES[cs]'"),
                ("title MATCHES[s] body", [], "not-evaluable: Can't search for 'body'"),
                ("title MATCHES[s] 3", [], "type-mismatch: "),
                ("title MATCHES[s] '(a'", [], "invalid-query: "),
                ("title MATCHES[s] 'a OR'", [], "invalid-query: "),
                ("title MATCHES[s] '\"a'", [], "invalid-query: "),
                ("title MATCHES[s] 'NOT a'", [], "invalid-query: "),
                ("title MATCHES[s] 'a)'", [], "invalid-query: "),
                ("title MATCHES[x] 'a'", [], "unknown-option: "),
                ("@relevance > 1", [], "not-evaluable: Can't compute @relevance here"),
                ("stars = 1", best, "not-searchable: Can't tell the relevance"),
                ("title MATCHES[s] 'a' OR stars = 1", best, "not-searchable: "),
                ("author MATCHES[s] 'a'", best, "not-searchable: "),
            ]
            for (format, sorts, reason) in cases {
                let answer = refused(format, sortedBy: sorts)
                #expect(answer.hasPrefix(reason), "\(format): \(answer)")
            }
            let many = Array(repeating: "a", count: 201).joined(separator: " ")
            #expect(throws: FetchPredicateError.self) { try TextQuery(many) }
            let levels = TextQuery.greatestDepth + 1
            let deep =
                String(repeating: "(", count: levels) + "a"
                + String(repeating: ")", count: levels)
            #expect(throws: FetchPredicateError.self) { try TextQuery(deep) }
        }
    }

    @Test func `the longest and deepest queries are answered`() throws {
        try library.open().newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.fill(context)
            let words = (0..<199).map { "w\($0)" }.joined(separator: " OR ")
            let deepest = TextQuery.greatestDepth
            let deep =
                String(repeating: "(a OR graph swift NOT b NOT (c OR ", count: deepest / 2)
                + "kamme" + String(repeating: "))", count: deepest / 2)
            for query in [
                words + " OR swift", deep, String(repeating: "swift NOT ", count: 150) + "x",
            ] {
                _ = try SearchLibrary.stars("SELF MATCHES[s] %@", query, in: context)
            }
            #expect(try SearchLibrary.stars("SELF MATCHES[s] %@", deep, in: context) == [0, 1])
            let parts = (0..<300).map { "title MATCHES[s] 'w\($0)'" }.joined(separator: " OR ")
            #expect(
                try SearchLibrary.stars(parts + " OR title MATCHES[s] 'rust'", in: context) == [1])
        }
    }

    @Test func `a child context keeps the order of its parent`() throws {
        try library.open().newBackgroundContext().performAndWait { parent throws in
            try SearchLibrary.fill(parent)
            let best = [FetchSort("@relevance", ascending: false)]
            let child = parent.newChildContext()
            #expect(
                try SearchLibrary.stars("SELF MATCHES[s] 'swift'", in: child, sortedBy: best)
                    == [0, 1])
            var request = FetchRequest<ManagedObject>(entityName: "Article")
            request.predicate = try FetchPredicate("SELF MATCHES[s] 'swift'")
            request.sorts = best
            let controller = FetchedResultsController(fetchRequest: request, context: child)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map(SearchLibrary.stars) == [0, 1])
        }
    }
}
