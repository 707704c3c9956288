import Anabranch
import Foundation
import Testing

@Suite struct `Derived attributes` {
    @Test(arguments: StoreKind.allCases)
    func `they are nil before the first save and computed after it`(kind: StoreKind) throws {
        let press = try Press(kind)
        try press.inContext { context throws in
            let before = Date(timeIntervalSinceNow: -0.01)
            let anna = try context.publisher("Ännä", articles: 2)
            #expect(anna.savedAt == nil && anna.articleCount == nil && anna.upperName == nil)
            #expect(anna.totalCents == nil && anna.totalPrice == nil)
            try context.save()
            let savedAt = try #require(anna.savedAt)
            #expect(savedAt >= before && savedAt <= Date())
            #expect(anna.articleCount == 2)
            #expect(anna.canonicalName == "anna")
            #expect(anna.lowerName == "ännä" && anna.upperName == "ÄNNÄ")
            #expect(!context.hasChanges)
        }
        try press.inContext { context throws in
            let anna = try #require(try context.publishers().first)
            #expect(anna.articleCount == 2 && anna.canonicalName == "anna")
            #expect(anna.savedAt != nil)
        }
    }

    @Test func `a sum is exact, and zero without values`() throws {
        let press = try Press()
        try press.inContext { context throws in
            let empty = try context.publisher("a")
            let full = try context.publisher("b")
            for (cents, price, weight) in [(3, "0.1", 0.5), (Int32.max, "0.2", 1.25)] {
                let article = try context.article(of: full, cents: Int32(cents))
                article.price = Decimal(string: price)
                article.weight = weight
            }
            try context.article(of: full)
            try context.save()
            #expect(empty.articleCount == 0 && empty.totalCents == 0 && empty.totalPrice == 0)
            #expect(full.totalCents == Int64(Int32.max) + 3)
            #expect(full.totalPrice == Decimal(string: "0.3") && full.totalWeight == 1.75)
        }
    }

    @Test func `a saved derived value refreshes every observer, without a change by the app`()
        throws
    {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna")
            let article = try context.article(of: anna, cents: 1)
            try context.save()
            #expect(article.publisherName == "Anna" && anna.totalCents == 1)
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            let saves = NotificationLog(ManagedObjectContext.didSave, of: context)
            anna.name = "Berta"
            #expect(article.publisherName == "Anna" && anna.upperName == "ANNA")
            try context.save()
            #expect(article.publisherName == "Berta" && anna.upperName == "BERTA")
            #expect(try article.changedValues().isEmpty && !article.hasChanges)
            #expect(log.all.flatMap(\.refreshed) == [article.objectID])
            #expect(saves.all.flatMap(\.updated) == [anna.objectID])
            article.cents = 5
            #expect(try article.changedValues() == ["cents": 5])
            try context.save()
            #expect(anna.totalCents == 5 && !anna.hasChanges)
        }
    }

    @Test func `a time is that of the last save that wrote the object itself`() throws {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna")
            let article = try context.article(of: nil)
            try context.save()
            let first = try #require(anna.savedAt)
            Thread.sleep(forTimeInterval: 0.005)
            article.cents = 1
            try context.save()
            #expect(anna.savedAt == first)
            anna.name = "Berta"
            try context.save()
            #expect(try #require(anna.savedAt) > first)
        }
    }

    @Test func `an unsaved edit stays, and the computed value comes under it`() throws {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna")
            try context.save()
            anna.name = "Berta"
            try press.inContext { other throws in
                try other.article(of: try other.publishers().first)
                try other.save()
            }
            try context.refresh(anna, mergeChanges: true)
            #expect(anna.articleCount == 1 && anna.name == "Berta" && anna.upperName == "ANNA")
            #expect(try anna.changedValues() == ["name": "Berta"])
            #expect(try anna.committedValues()["articleCount"] == 1)
        }
    }

    @Test func `the app does not set them, whatever way it goes`() throws {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna")
            let refusal = #expect(throws: PropertyError.self) {
                try anna.setValue(.integer(7), forKey: "articleCount")
            }
            #expect(refusal?.code == .derived && refusal?.property == "articleCount")
            #expect(refusal?.entity == "Publisher")
            #expect(refusal?.message.contains("articles.@count") == true)
            anna.name = "Berta"
            anna.articleCount = 7
            #expect(throws: PropertyError.self) { try context.save() }
            anna.setPrimitiveValue(7, forKey: "articleCount")
            #expect(throws: PropertyError.self) { try context.save() }
            anna["upperName"] = "x"
            #expect(throws: PropertyError.self) { try context.save() }
            #expect(anna.articleCount == nil && anna.upperName == nil)
            try context.save()
            #expect(anna.articleCount == 0 && anna.name == "Berta")
        }
    }

    @Test func `predicates and sorts ask the store for them, also through relationships`() throws {
        let press = try Press()
        try press.inContext { context throws in
            try context.publisher("Zoë", articles: 1)
            try context.publisher("anna", articles: 3)
            try context.publisher("Ämil", articles: 2)
            try context.save()
        }
        try press.inContext { context throws in
            #expect(
                try context.publishers("articleCount >= 2", by: "articleCount").map(\.name) == [
                    "Ämil", "anna",
                ])
            #expect(
                try context.publishers(by: "canonicalName").map(\.name) == ["Ämil", "anna", "Zoë"])
            #expect(try context.publishers("upperName BEGINSWITH 'ZO'").count == 1)
            #expect(try context.publishers("ANY articles.publisherName == 'anna'").count == 1)
            var request = FetchRequest<Article>()
            request.predicate = try FetchPredicate("publisher.articleCount == 2")
            request.sorts = [FetchSort("publisher.canonicalName")]
            #expect(try context.fetch(request).map(\.publisherName) == ["Ämil", "Ämil"])
            request.predicate = try FetchPredicate("publisher.articleCount == nil")
            #expect(try context.count(for: request) == 0)
        }
    }

    @Test func `an unsaved object is compared by its values, a saved one by the stored values`()
        throws
    {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna", articles: 1)
            #expect(try context.publishers("articleCount == nil").count == 1)
            try context.save()
            #expect(try context.publishers("articleCount == 1") == [anna])
            try context.article(of: anna)
            // The store has not computed a value yet.
            #expect(try context.publishers("articleCount == 1") == [anna])
            try context.save()
            #expect(try context.publishers("articleCount == 2") == [anna])
        }
    }

    @Test func `a mandatory one fails the insertion, as it has no value then`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Note") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration(
                    "upper", .string, optional: false, derivation: "uppercase:(text)")
            }
        }
        let container = PersistentContainer(model: model, storeDescription: .inMemory)
        try container.load()
        try container.newBackgroundContext().performAndWait { context throws in
            let note = try context.insert("Note")
            try note.setValue("a", forKey: "text")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missingMandatoryProperty && error?.property == "upper")
        }
    }

    @Test func `undo leaves them to the save`() throws {
        let press = try Press()
        try press.inContext { context throws in
            context.undoManager = UndoStack()
            let anna = try context.publisher("Anna")
            try context.save()
            anna.name = "Berta"
            try context.save()
            context.undo()
            #expect(anna.name == "Anna" && anna.upperName == "BERTA")
            #expect(try anna.changedValues() == ["name": "Anna"])
            try context.save()
            #expect(anna.upperName == "ANNA")
        }
    }
}
