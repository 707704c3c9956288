import Anabranch
import Foundation
import TestSupport

/// A model with every form of derived attribute.
enum PressModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Publisher") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("articleCount", .integer64, derivation: "articles.@count")
                AttributeDeclaration("canonicalName", .string, derivation: "canonical:(name)")
                AttributeDeclaration("lowerName", .string, derivation: "lowercase:(name)")
                AttributeDeclaration("savedAt", .date, derivation: "now()")
                AttributeDeclaration("totalCents", .integer64, derivation: "articles.cents.@sum")
                AttributeDeclaration("totalPrice", .decimal, derivation: "articles.price.@sum")
                AttributeDeclaration("totalWeight", .double, derivation: "articles.weight.@sum")
                AttributeDeclaration("upperName", .string, derivation: "uppercase:(name)")
                RelationshipDeclaration("articles", toMany: "Article", inverse: "publisher")
            }
            EntityDeclaration("Article") {
                AttributeDeclaration("cents", .integer32)
                AttributeDeclaration("price", .decimal)
                AttributeDeclaration("publisherName", .string, derivation: "publisher.name")
                AttributeDeclaration("tagCount", .integer16, derivation: "tags.@count")
                AttributeDeclaration("title", .string)
                AttributeDeclaration("weight", .double)
                RelationshipDeclaration("publisher", to: "Publisher", inverse: "articles")
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "articles")
            }
            EntityDeclaration("Tag") {
                RelationshipDeclaration("articles", toMany: "Article", inverse: "tags")
            }
        }
    }
}

final class Publisher: ManagedObject {
    override class var entityName: String { "Publisher" }
    override class var slotNames: [String] {
        [
            "articleCount", "canonicalName", "lowerName", "name", "savedAt", "totalCents",
            "totalPrice", "totalWeight", "upperName", "articles",
        ]
    }

    var articleCount: Int64? {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var canonicalName: String? { self[slot: 1] }
    var lowerName: String? { self[slot: 2] }
    var name: String? {
        get { self[slot: 3] }
        set { self[slot: 3] = newValue }
    }
    var savedAt: Date? { self[slot: 4] }
    var totalCents: Int64? { self[slot: 5] }
    var totalPrice: Decimal? { self[slot: 6] }
    var totalWeight: Double? { self[slot: 7] }
    var upperName: String? { self[slot: 8] }
}

final class Article: ManagedObject {
    override class var entityName: String { "Article" }
    override class var slotNames: [String] {
        [
            "cents", "price", "publisherName", "tagCount", "title", "weight", "publisher", "tags",
        ]
    }

    var cents: Int32? {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var price: Decimal? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var publisherName: String? { self[slot: 2] }
    var tagCount: Int16? { self[slot: 3] }
    var weight: Double? {
        get { self[slot: 5] }
        set { self[slot: 5] = newValue }
    }
    var publisher: Publisher? {
        get { self[toOne: 6] }
        set { self[toOne: 6] = newValue }
    }
}

/// A store of this model in a temporary folder.
final class Press: Sendable {
    private let directory: TemporaryDirectory
    let container: PersistentContainer

    init(_ kind: StoreKind = .usual) throws {
        directory = try TemporaryDirectory("press")
        container = PersistentContainer(
            model: try PressModel.make(), classes: [Publisher.self, Article.self],
            storeDescription: kind.description(directory.file("press.anabranch")))
        try container.load()
    }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }
}

extension ManagedObjectContext {
    @discardableResult
    func publisher(_ name: String?, articles: Int = 0) throws -> Publisher {
        let publisher = try insert(Publisher.self)
        publisher.name = name
        for _ in 0..<articles { try article(of: publisher) }
        return publisher
    }

    @discardableResult
    func article(of publisher: Publisher?, cents: Int32? = nil) throws -> Article {
        let article = try insert(Article.self)
        article.cents = cents
        article.publisher = publisher
        return article
    }

    func publishers(_ predicate: String? = nil, by key: String = "name") throws -> [Publisher] {
        var request = FetchRequest<Publisher>()
        request.predicate = try predicate.map { try FetchPredicate($0) }
        request.sorts = [FetchSort(key)]
        return try fetch(request)
    }
}
