import Anabranch
import Foundation
import TestSupport
import Testing

/// Tests of searches for words with classes and key paths.
@Suite struct `Searchable classes` {
    @Entity
    final class Post: ManagedObject {
        @Attribute(.searchable(prefixes: [2, 3])) var title: String?
        @Attribute(.searchable) var body: String = ""
        var stars: Int64 = 0
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("searchable") }

    private func withPosts(_ body: (ManagedObjectContext) throws -> Void) throws {
        let container = PersistentContainer(
            model: try ManagedObjectModel(classes: [Post.self]), classes: [Post.self],
            url: URL(filePath: directory.file("posts.anabranch")))
        try container.load()
        try container.newBackgroundContext().performAndWait { context throws in
            for (title, text) in [
                ("Drafts", "How syncing works in Swift, at length and with other words."),
                ("Swift syncs", "Swift, and an object graph that syncs."), ("Rust", "No graph."),
            ] {
                let post = try context.insert(Post.self)
                (post.title, post.body) = (title, text)
            }
            try context.save()
            try body(context)
        }
    }

    @Test func `the model has what the marks say`() throws {
        let post = try #require(try ManagedObjectModel(classes: [Post.self]).entity(named: "Post"))
        #expect(post.searchableAttributes.map(\.name) == ["body", "title"])
        #expect(
            post.attributes.map(\.search) == [
                TextSearch(), nil, TextSearch(prefixLengths: [2, 3]),
            ])
    }

    @Test func `key paths search, rank and show the found words`() throws {
        try withPosts { context throws in
            let found = try context.fetch(
                FetchRequest<Post>(where: .search("swift sync*"), sortedBy: .relevance))
            #expect(found.map(\.title) == ["Swift syncs", "Drafts"])
            let titled = try FetchRequest<Post>(where: (\Post.title).matches(search: "swift"))
            #expect(try context.fetch(titled).map(\.title) == ["Swift syncs"])
            let either = try FetchRequest<Post>(
                where: (\Post.title).matches(search: "rust") || \.stars > 0)
            #expect(try context.count(for: either) == 1)
            let rows = try RowRequest<Post>(
                [.property(\.title), .snippet(\.body, before: "<", after: ">"), .relevance()],
                where: .search("\"object graph\""), sortedBy: .relevance)
            let row = try #require(try context.fetch(rows).first)
            #expect(row["title"] == "Swift syncs")
            #expect(row["body"] == "Swift, and an <object graph> that syncs.")
        }
    }
}
