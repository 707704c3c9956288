import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport

/// A store of articles that can be searched for words.
struct SearchLibrary {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("search") }

    static func model(
        title: TextSearch? = TextSearch(prefixLengths: [2, 3]), body: TextSearch? = TextSearch(),
        titleName: String = "title"
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Article") {
                AttributeDeclaration(
                    titleName, .string, renamingIdentifier: titleName == "title" ? nil : "title",
                    searchable: title)
                AttributeDeclaration("body", .string, searchable: body)
                AttributeDeclaration("stars", .integer64, optional: false, default: 0)
                RelationshipDeclaration("author", to: "Author", inverse: "articles")
            }
            EntityDeclaration("Author") {
                AttributeDeclaration("name", .string, searchable: TextSearch())
                RelationshipDeclaration("articles", toMany: "Article", inverse: "author")
            }
        }
    }

    func open(
        _ model: ManagedObjectModel? = nil, named name: String = "a"
    ) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try model ?? Self.model(), classes: [],
            url: URL(filePath: directory.file("\(name).anabranch")))
        try container.load()
        return container
    }

    /// Saves four articles, of which two have an author.
    static func fill(_ context: ManagedObjectContext) throws {
        let texts: [(String?, String?)] = [
            ("Swift sync", "How an object graph syncs, in Swift."),
            ("Rust", "A graph of objects, and a swift river."),
            ("Über Kämme", "Façade and naïve café: the syncing of hair."),
            (nil, "C++ doesn't sync; \"quoted\" text, foo-bar_baz."),
        ]
        let author = try context.insert("Author")
        author["name"] = "Ada Swift"
        for (number, (title, body)) in texts.enumerated() {
            let article = try insert(title, body, stars: Int64(number), context)
            if number < 2 { try article.setObject(author, forKey: "author") }
        }
        try context.save()
    }

    @discardableResult
    static func insert(
        _ title: String?, _ body: String? = nil, stars: Int64, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let article = try context.insert("Article")
        article["title"] = title.map { .string($0) } ?? .null
        article["body"] = body.map { .string($0) } ?? .null
        article["stars"] = .integer(stars)
        return article
    }

    static func stars(of article: ManagedObject) -> Int64 {
        if case .integer(let stars) = article["stars"] { stars } else { -1 }
    }

    /// The stars of the articles that a format finds, as the store or the context finds them.
    static func stars(
        _ format: String, _ arguments: (any PredicateArgument)?...,
        in context: ManagedObjectContext, sortedBy sorts: [FetchSort] = [FetchSort("stars")]
    ) throws -> [Int64] {
        var request = FetchRequest<ManagedObject>(entityName: "Article")
        request.predicate = try FetchPredicate(format: format, arguments: arguments)
        request.sorts = sorts
        return try context.fetch(request).map(stars)
    }

    /// Fails if a table of words differs from the rows.
    static func check(_ container: PersistentContainer) throws {
        let damage = try container.coordinator.store.check().damage
        guard damage.isEmpty else { throw Damage(lines: damage) }
    }

    struct Damage: Error { let lines: [String] }
}
