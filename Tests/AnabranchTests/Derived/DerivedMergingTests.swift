import Anabranch
import AnabranchStore
import Foundation
import Testing

@Suite struct `Derived attributes beside concurrent saves` {
    /// Syncs a store with a zone, and waits until its contexts have merged the changes.
    private func exchange(_ zone: Zone, _ press: Press) async throws {
        let changed = try zone.exchange(press.coordinator)
        await withCheckedContinuation { done in
            press.coordinator.didApply(changed) { done.resume() }
        }
    }

    @Test func `a count is right on every replica after a merge, and no change of theirs`()
        async throws
    {
        let (zone, here, there) = (Zone(), try Press(), try Press())
        try here.inContext {
            try $0.publisher("Anna", articles: 1)
            try $0.save()
        }
        try await exchange(zone, here)
        try await exchange(zone, there)
        let context = here.container.newBackgroundContext()
        let held = try context.performAndWait { context throws in
            let anna = try #require(try context.publishers().first)
            #expect(anna.articleCount == 1)
            try context.article(of: anna, cents: 10)
            try context.save()
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = true
            return anna.objectID
        }
        try there.inContext { context throws in
            let anna = try #require(try context.publishers().first)
            anna.name = "Berta"
            try context.article(of: anna, cents: 4)
            try context.save()
            #expect(anna.articleCount == 2 && anna.totalCents == 4)
        }
        for press in [here, there, here] { try await exchange(zone, press) }
        try context.performAndWait { context throws in
            let anna = try #require(context.registeredObject(for: held) as? Publisher)
            #expect(!anna.isFault)
            #expect(anna.articleCount == 3 && anna.totalCents == 14)
            #expect(anna.upperName == "BERTA" && !context.hasChanges)
        }
        func state(_ press: Press) throws -> [String] {
            try press.inContext { context throws in
                try context.publishers().map {
                    "\($0.articleCount ?? -1) \($0.totalCents ?? -1) \($0.savedAt ?? .distantPast)"
                }
            }
        }
        #expect(try state(here) == state(there))
        #expect(try here.coordinator.store.pending(byteLimit: .max).isEmpty)
    }

    @Test func `a time is the greatest of the writes, in whichever order they came`() async throws {
        let (zone, here, there) = (Zone(), try Press(), try Press())
        try here.inContext {
            try $0.publisher("Anna")
            try $0.save()
        }
        try await exchange(zone, here)
        try await exchange(zone, there)
        for (press, name) in [(here, "Berta"), (there, "Carla")] {
            try press.inContext { context throws in
                try #require(try context.publishers().first).name = name
                try context.save()
            }
            try await Task.sleep(for: .milliseconds(3))
        }
        // The first write arrives there last.
        for press in [there, here, there] { try await exchange(zone, press) }
        let times = try [here, there].map { press in
            try press.inContext { try $0.publishers().first?.savedAt }
        }
        #expect(times[0] == times[1] && times[0] != nil)
    }

    @Test func `another context has them after its merge, with the copies of a name`() throws {
        let press = try Press()
        let other = press.container.newBackgroundContext()
        let article = try other.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            let anna = try context.publisher("Anna")
            let article = try context.article(of: anna)
            try context.save()
            return article.objectID
        }
        try press.inContext { context throws in
            let anna = try #require(try context.publishers().first)
            anna.name = "Berta"
            try context.article(of: anna)
            try context.save()
        }
        try other.performAndWait { context throws in
            let article = try #require(context.registeredObject(for: article) as? Article)
            #expect(article.publisherName == "Berta" && article.publisher?.articleCount == 2)
            #expect(article.publisher?.upperName == "BERTA")
        }
    }

    @Test func `a notification of a save brings them, too`() throws {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna")
            let article = try context.article(of: anna)
            try context.save()
            let changes: ObjectIDChanges? = try press.inContext { other throws in
                let log = NotificationLog(ManagedObjectContext.didSave, of: other)
                try #require(try other.publishers().first).name = "Berta"
                try other.save()
                return log.all.last
            }
            try context.mergeChanges(from: try #require(changes))
            #expect(article.publisherName == "Berta")
        }
    }

    @Test(arguments: [false, true])
    func `a deletion updates a count that the deleting context has not read`(isRemote: Bool)
        async throws
    {
        let (zone, here, there) = (Zone(), try Press(), try Press())
        let context = here.container.newBackgroundContext()
        let held = try context.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            let anna = try context.publisher("Anna", articles: 2)
            let article = try #require(try context.fetch(FetchRequest<Article>()).first)
            try article.objects(forKey: "tags").insert(try context.insert("Tag"))
            try context.save()
            #expect(anna.articleCount == 2 && article.tagCount == 1)
            return [anna.objectID, article.objectID]
        }
        try await exchange(zone, here)
        try await exchange(zone, there)
        let press = isRemote ? there : here
        try press.inContext { context throws in
            var request = FetchRequest<Article>()
            request.predicate = try FetchPredicate("tags.@count == 0")
            for article in try context.fetch(request) { context.delete(article) }
            for tag in try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")) {
                context.delete(tag)
            }
            try context.save()
        }
        try await exchange(zone, there)
        try await exchange(zone, here)
        try context.performAndWait { context throws in
            let anna = try #require(context.registeredObject(for: held[0]) as? Publisher)
            let article = try #require(context.registeredObject(for: held[1]) as? Article)
            #expect(anna.articleCount == 1 && article.tagCount == 0)
        }
    }

    @Test func `a child has its parent's records, and the parent the results of the save`() throws {
        let press = try Press()
        try press.inContext { parent throws in
            let anna = try parent.publisher("Anna", articles: 1)
            try parent.save()
            let child = parent.newChildContext()
            let own = try #require(try child.publishers().first)
            #expect(own.articleCount == 1 && own.upperName == "ANNA")
            own.name = "Berta"
            try child.article(of: own)
            try child.save()
            #expect(own.articleCount == 1)
            #expect(anna.articleCount == 1 && anna.upperName == "ANNA")
            try parent.save()
            #expect(anna.articleCount == 2 && anna.upperName == "BERTA")
        }
    }

    @Test func `a controller follows them`() throws {
        let press = try Press()
        try press.inContext { context throws in
            let anna = try context.publisher("Anna", articles: 1)
            try context.publisher("Berta", articles: 2)
            try context.save()
            var request = FetchRequest<Publisher>()
            request.predicate = try FetchPredicate("articleCount > 0")
            request.sorts = [FetchSort("articleCount")]
            let results = FetchedResultsController(fetchRequest: request, context: context)
            let log = ResultsLog<Publisher>()
            results.delegate = log
            try results.performFetch()
            var names: [String?] { results.fetchedObjects?.map(\.name) ?? [] }
            #expect(names == ["Anna", "Berta"])
            for _ in 0..<2 { try context.article(of: anna) }
            context.processPendingChanges()
            #expect(names == ["Anna", "Berta"])
            try context.save()
            #expect(names == ["Berta", "Anna"])
            for article in try anna.objects(forKey: "articles").objects { context.delete(article) }
            try context.save()
            #expect(names == ["Berta"])
        }
    }
}
