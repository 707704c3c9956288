import Anabranch
import Foundation

/// Classes that are the whole model, with every setting that a class can declare, and the same
/// model in Swift.
enum Library {
    static let classes: [ManagedObject.Type] = [
        Item.self, Book.self, Magazine.self, Reader.self, Shelf.self,
    ]

    enum Genre: Int16, AttributeValue {
        case novel = 3
        case essay = 4
        static var absent: Genre { .novel }
    }

    /// A type that does not say its attribute's type, so the value of `absent` does.
    struct Pages: AttributeValue, Equatable {
        var count: Int64
        static var absent: Pages { Pages(count: 0) }
        static func reading(_ value: PropertyValue) -> Pages? {
            Int64.reading(value).map { Pages(count: $0) }
        }
        var attributeValue: PropertyValue { .integer(count) }
    }

    @Entity(isAbstract: true, originalName: "Thing", deletePolicy: .updateWins)
    class Item: ManagedObject {
        #Index<Item>([\.title, \.shelf])
        @Attribute(.unique, wireName: "id") var code: UUID?
        @Attribute(.indexed, minimum: 1, maximum: 200) var title: String = "Untitled"
        @Attribute(.preserveValueOnDeletion) var price: Decimal = 9.5
        @Attribute(.transient) var isHeld: Bool = false
        var added: Date?
        @Relationship(optional: false, inverse: \Shelf.items) var shelf: Shelf?
    }

    @Entity("Volume")
    final class Book: Item {
        #Unique<Book>([\.author, \.title])
        @Attribute(hashModifier: "2", userInfo: ["in": "ISBN"]) var author: String?
        @Attribute var genre: Genre = .essay
        @Attribute var second: Genre?
        @Attribute var pages: Pages = Pages(count: 12)
        @Attribute(.externalStorage, regularExpression: "[a-z]*") var code2: String?
        @Attribute(mergeRule: .counter) var loans: Int64 = 0
        @Relationship(
            minimumModelCount: 0, maximumModelCount: 4, originalName: "borrowers",
            inverse: \Reader.books)
        var readers: ManagedObjectList<Reader>
        @Relationship(acyclic: true, inverse: \Book.sequels) var prequel: Book?
        var sequels: ManagedObjectSet<Book>
        @FetchedProperty(
            "shelf == $FETCH_SOURCE.shelf AND SELF != $FETCH_SOURCE", fetchLimit: 9,
            userInfo: ["on": "shelf"])
        var neighbours: [Item]
    }

    @Entity
    final class Magazine: Item {
        @Transformable(by: "Tags") var tags: [String]?
        @Transformable var cover: [Int]?
        @Attribute(group: "time") var start: Date?
        @Attribute(group: "time") var end: Date?
        var issue: Int16 = 1
        var number: Int32 = -2
        var weight: Float = 0.1
        var length: Double = 0.1
        var link: URL?
        var scan: Data = Data([1, 2])
    }

    @Entity
    final class Reader: ManagedObject {
        @Attribute(validations: [.init("length > 2", warning: "Too short.")]) var name: String?
        @Attribute(derivation: "books.@count") var loans: Int
        var books: ManagedObjectSet<Book>
        @Relationship(deleteRule: .deny, inverse: "friends")
        var friends: ManagedObjectSet<Reader>
        @Relationship(inverse: nil, validations: [.init("name != 'Bob'")]) var guardian: Reader?
        @Relationship(transient: true, inverse: nil) var current: Book?
        @Relationship(inverse: "spouse") var spouse: Reader?
    }

    @Entity
    final class Shelf: ManagedObject {
        var label: String?
        @Relationship(deleteRule: .cascade) var items: ManagedObjectSet<Item>
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            item
            volume
            magazine
            EntityDeclaration("Reader") {
                AttributeDeclaration(
                    "name", .string, validations: [.init("length > 2", warning: "Too short.")])
                AttributeDeclaration("loans", .integer64, derivation: "books.@count")
                RelationshipDeclaration("books", toMany: "Volume", inverse: "readers")
                RelationshipDeclaration(
                    "friends", toMany: "Reader", inverse: "friends", deleteRule: .deny)
                RelationshipDeclaration(
                    "guardian", to: "Reader", validations: [.init("name != 'Bob'")])
                RelationshipDeclaration("current", to: "Volume", transient: true)
                RelationshipDeclaration("spouse", to: "Reader", inverse: "spouse")
            }
            EntityDeclaration("Shelf") {
                AttributeDeclaration("label", .string)
                RelationshipDeclaration(
                    "items", toMany: "Item", inverse: "shelf", deleteRule: .cascade)
            }
        }
    }

    private static var item: EntityDeclaration {
        EntityDeclaration(
            "Item", isAbstract: true, renamingIdentifier: "Thing", deletePolicy: .updateWins
        ) {
            AttributeDeclaration("code", .uuid, wireName: "id")
            AttributeDeclaration(
                "title", .string, optional: false, default: "Untitled", minimum: 1, maximum: 200)
            AttributeDeclaration(
                "price", .decimal, optional: false, default: 9.5,
                preservesValueInHistoryOnDeletion: true)
            AttributeDeclaration(
                "isHeld", .boolean, optional: false, default: false, transient: true)
            AttributeDeclaration("added", .date)
            RelationshipDeclaration("shelf", to: "Shelf", optional: false, inverse: "items")
            UniquenessConstraint("code")
            IndexDeclaration("title", on: "title")
            IndexDeclaration("title_shelf", on: "title", "shelf")
        }
    }

    private static var volume: EntityDeclaration {
        EntityDeclaration("Volume", parent: "Item") {
            AttributeDeclaration(
                "author", .string, versionHashModifier: "2", userInfo: ["in": "ISBN"])
            AttributeDeclaration("genre", .integer16, optional: false, default: 4)
            AttributeDeclaration("second", .integer16)
            AttributeDeclaration("pages", .integer64, optional: false, default: 12)
            AttributeDeclaration(
                "code2", .string, regularExpression: "[a-z]*",
                allowsExternalBinaryDataStorage: true)
            AttributeDeclaration(
                "loans", .integer64, optional: false, default: 0, mergeRule: .counter)
            RelationshipDeclaration(
                "readers", toMany: "Reader", ordered: true, maxCount: 4, inverse: "books",
                renamingIdentifier: "borrowers")
            RelationshipDeclaration("prequel", to: "Volume", acyclic: true, inverse: "sequels")
            RelationshipDeclaration("sequels", toMany: "Volume", inverse: "prequel")
            FetchedProperty(
                "neighbours", of: "Item",
                predicateFormat: "shelf == $FETCH_SOURCE.shelf AND SELF != $FETCH_SOURCE",
                fetchLimit: 9, userInfo: ["on": "shelf"])
            UniquenessConstraint("author", "title")
        }
    }

    private static var magazine: EntityDeclaration {
        EntityDeclaration("Magazine", parent: "Item") {
            AttributeDeclaration("tags", .transformable, transformer: "Tags")
            AttributeDeclaration("cover", .transformable)
            AttributeDeclaration("start", .date)
            AttributeDeclaration("end", .date)
            AttributeDeclaration("issue", .integer16, optional: false, default: 1)
            AttributeDeclaration("number", .integer32, optional: false, default: -2)
            AttributeDeclaration("weight", .float, optional: false, default: 0.1)
            AttributeDeclaration("length", .double, optional: false, default: 0.1)
            AttributeDeclaration("link", .uri)
            AttributeDeclaration("scan", .binary, optional: false, default: .data(Data([1, 2])))
            AttributeGroup("time", "start", "end")
        }
    }
}
