import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `A model of classes` {
    @Test func `equals the same model in Swift, with every setting`() throws {
        let model = try ManagedObjectModel(classes: Library.classes)
        let written = try Library.model()
        for (own, other) in zip(model.declaration.entities, written.declaration.entities) {
            #expect(own == other)
        }
        #expect(model == written && model.hash == written.hash)
        #expect(model.entityVersionHashesByName == written.entityVersionHashesByName)
        let reversed = try ManagedObjectModel(classes: Library.classes.reversed())
        #expect(reversed == model)
    }

    @Test func `has the templates and the version that classes do not declare`() throws {
        let model = try ManagedObjectModel(
            classes: Library.classes,
            fetchRequestTemplates: [FetchRequestTemplate("all", entity: "Shelf")],
            versionIdentifier: "2")
        #expect(model.fetchRequestTemplate(named: "all")?.entity == "Shelf")
        #expect(model.declaration.versionIdentifier == "2")
    }

    @Test(arguments: [true, false])
    func `opens the stores of the same model in Swift, and the reverse`(
        isClassesFirst: Bool
    ) throws {
        let folder = try TemporaryDirectory()
        let url = URL(filePath: folder.file("library.store"))
        func container(ofClasses: Bool) throws -> PersistentContainer {
            let model =
                ofClasses
                ? try ManagedObjectModel(classes: Library.classes) : try Library.model()
            let container = PersistentContainer(model: model, classes: Library.classes, url: url)
            try container.load()
            return container
        }
        let code = UUID()
        try container(ofClasses: isClassesFirst).newBackgroundContext().performAndWait { context in
            let book = try context.insert(Library.Book.self)
            #expect(book.title == "Untitled" && book.price == 9.5 && book.genre == .essay)
            #expect(book.pages == Library.Pages(count: 12) && book.second == nil)
            book.code = code
            book.shelf = try context.insert(Library.Shelf.self)
            let reader = try context.insert(Library.Reader.self)
            reader.name = "Ada"
            book.readers.append(reader)
            try context.save()
        }
        try container(ofClasses: !isClassesFirst).newBackgroundContext().performAndWait { context in
            let book = try #require(try context.fetch(FetchRequest<Library.Book>()).first)
            #expect(book.code == code && book.readers.map(\.name) == ["Ada"])
            #expect(book.readers.allSatisfy { $0.books.objects == [book] && $0.loans == 1 })
            #expect(book.shelf?.items.objects == [book])
            let twin = try context.insert(Library.Book.self)
            twin.shelf = book.shelf
            #expect(book.neighbours == [twin])
            twin.code = code
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test func `migrates the stores of an earlier release's classes`() throws {
        let folder = try TemporaryDirectory()
        let url = URL(filePath: folder.file("diary.store"))
        let first = try PersistentContainer(for: FirstRelease.Entry.self, url: url)
        try first.load()
        try first.newBackgroundContext().performAndWait { context in
            let entry = try context.insert(FirstRelease.Entry.self)
            (entry.text, entry.mood) = ("Rain", 3)
            try context.save()
        }
        first.coordinator.close()
        let second = try PersistentContainer(
            for: SecondRelease.Entry.self, SecondRelease.Tag.self, url: url)
        try second.load()
        try second.newBackgroundContext().performAndWait { context in
            let entry = try #require(try context.fetch(FetchRequest<SecondRelease.Entry>()).first)
            #expect(entry.body == "Rain" && entry.mood == 3 && entry.isPinned == false)
            entry.tags.append(try context.insert(SecondRelease.Tag.self))
            entry.isPinned = true
            try context.save()
        }
        #expect(try second.coordinator.checkFile().isValid)
    }

    @Test func `takes a container's classes once`() throws {
        let folder = try TemporaryDirectory()
        let container = try PersistentContainer(
            for: Library.Item.self, Library.Book.self, Library.Magazine.self, Library.Reader.self,
            Library.Shelf.self, url: URL(filePath: folder.file("library.store")))
        try container.load()
        #expect(try container.model == Library.model())
        try container.newBackgroundContext().performAndWait { context in
            let shelf = try context.insert(Library.Shelf.self)
            #expect(shelf.items.isEmpty)
        }
    }

    @Test func `ignores a class that is passed twice, and classes between that are no entities`()
        throws
    {
        class Base: ManagedObject {}
        @Entity class Above: Base { var a: Int64 }
        class Between: Above {}
        @Entity final class Below: Between { var b: Int64 }
        let model = try ManagedObjectModel(Below.self, Above.self, Below.self)
        #expect(model.entities.map(\.name) == ["Above", "Below"])
        #expect(model.entity(named: "Below")?.superentity?.name == "Above")
        #expect(Below.slotNames == model.entity(named: "Below")?.slots.map(\.name))
    }
}

/// The classes of an app's first release.
enum FirstRelease {
    @Entity("Entry")
    final class Entry: ManagedObject {
        var text: String = ""
        var mood: Int64 = 0
    }
}

/// The classes of its second release: a property is renamed, and a property and a class are added.
enum SecondRelease {
    @Entity("Entry")
    final class Entry: ManagedObject {
        @Attribute(originalName: "text") var body: String = ""
        var mood: Int64 = 0
        var isPinned: Bool = false
        @Relationship(inverse: \Tag.entries) var tags: ManagedObjectList<Tag>
    }

    @Entity("Tag")
    final class Tag: ManagedObject {
        var name: String?
        var entries: ManagedObjectSet<Entry>
    }
}
