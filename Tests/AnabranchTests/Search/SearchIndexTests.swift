import Anabranch
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of the index of words: it has what the rows have, however they are written.
@Suite struct `The index of words` {
    private let library: SearchLibrary

    init() throws { library = try SearchLibrary() }

    private func stars(_ query: String, _ container: PersistentContainer) throws -> [Int64] {
        try container.newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.stars("SELF MATCHES[s] %@", query, in: context)
        }
    }

    @Test func `has what other replicas save, and what a snapshot brings`() throws {
        let (own, other) = (try library.open(), try library.open(named: "b"))
        let zone = Zone()
        try own.newBackgroundContext().performAndWait { try SearchLibrary.fill($0) }
        try zone.exchange(own.coordinator)
        try zone.exchange(other.coordinator)
        #expect(try stars("swift", other) == [0, 1])
        try SearchLibrary.check(other)
        try other.newBackgroundContext().performAndWait { context throws in
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Article"))
            for article in all {
                if SearchLibrary.stars(of: article) == 1 { context.delete(article) }
                if SearchLibrary.stars(of: article) == 3 { article["title"] = "Swift" }
            }
            try context.save()
        }
        try zone.exchange(other.coordinator)
        try zone.exchange(own.coordinator)
        #expect(try stars("swift", own) == [0, 3])
        try SearchLibrary.check(own)

        let third = try library.open(named: "c")
        try third.newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.insert("Swift of its own", stars: 7, context)
            try context.save()
        }
        var reference = ReferenceMerge()
        for set in zone.log { try reference.apply(set) }
        let chunks = try SnapshotChunk.chunks(of: reference, log: zone.log, records: 3)
        let cursor = zone.log.reduce(LogCursor(startOf: EpochID(high: 1, low: 2))) {
            $0.advanced(over: $1)
        }
        try third.coordinator.store.load(chunks, at: cursor)
        #expect(try stars("swift", third) == [0, 3, 7])
        try SearchLibrary.check(third)
    }

    @Test func `is made and dropped by models of one version`() throws {
        let plain = try SearchLibrary.model(title: nil, body: nil)
        let first = try library.open(plain)
        try first.newBackgroundContext().performAndWait { try SearchLibrary.fill($0) }
        first.coordinator.close()
        for model in [
            try SearchLibrary.model(), try SearchLibrary.model(title: nil),
            try SearchLibrary.model(title: TextSearch(prefixLengths: [4])),
        ] {
            let container = try library.open(model)
            #expect(try stars("graph", container) == [0, 1])
            try SearchLibrary.check(container)
            container.coordinator.close()
        }
        let last = try library.open(plain)
        #expect(throws: FetchPredicateError.self) { try stars("graph", last) }
        try last.newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.insert("x", stars: 5, context)
            try context.save()
        }
        last.coordinator.close()
    }

    @Test func `cannot be made in a store that is open for reading`() throws {
        let plain = try library.open(try SearchLibrary.model(title: nil, body: nil))
        try plain.newBackgroundContext().performAndWait { try SearchLibrary.fill($0) }
        plain.coordinator.close()
        var description = PersistentStoreDescription(
            url: URL(filePath: library.directory.file("a.anabranch")))
        description.options.isReadOnly = true
        let container = PersistentContainer(
            model: try SearchLibrary.model(), classes: [], storeDescription: description)
        try container.load()
        let error = #expect(throws: FetchPredicateError.self) { try stars("swift", container) }
        #expect(error?.code == .notSearchable)
        #expect(error?.message.contains("open it once for writing") == true)
        let all = try container.newBackgroundContext().performAndWait { context throws in
            try context.count(for: FetchRequest<ManagedObject>(entityName: "Article"))
        }
        #expect(all == 4)
    }

    @Test func `has the elements of composite attributes`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                CompositeAttribute("home") {
                    AttributeDeclaration("street", .string, searchable: TextSearch())
                    AttributeDeclaration("city", .string)
                }
                AttributeDeclaration("name", .string, searchable: TextSearch())
            }
        }
        let container = try library.open(model)
        try container.newBackgroundContext().performAndWait { context throws in
            for (name, street) in [("Ada", "Rue de l'Été"), ("Été Bell", "Main Street")] {
                let person = try context.insert("Person")
                person["name"] = .string(name)
                person["home.street"] = .string(street)
            }
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Person")
            for (format, names) in [
                ("home.street MATCHES[s] 'ete'", ["Ada"]), ("name MATCHES[s] 'ete'", ["Été Bell"]),
                ("SELF MATCHES[s] 'ete'", ["Ada", "Été Bell"]),
                ("SELF MATCHES[s] 'rue OR bell'", ["Ada", "Été Bell"]),
            ] {
                request.predicate = try FetchPredicate(format)
                let found = try context.fetch(request).map { "\($0["name"])" }
                #expect(found.count == names.count, "\(format) finds \(found)")
                for name in names { #expect(found.contains { $0.contains(name) }) }
            }
            request.predicate = try FetchPredicate("home.city MATCHES[s] 'ete'")
            #expect(throws: FetchPredicateError.self) { try context.fetch(request) }
        }
        try SearchLibrary.check(container)
    }

    @Test func `survives migrations that alter tables, and that write rows`() throws {
        let first = try library.open()
        try first.newBackgroundContext().performAndWait { try SearchLibrary.fill($0) }
        first.coordinator.close()
        let renamed = try SearchLibrary.model(titleName: "heading")
        let second = try library.open(renamed)
        #expect(try stars("swift", second) == [0, 1])
        let headings = try second.newBackgroundContext().performAndWait { context throws in
            try SearchLibrary.stars("heading MATCHES[s] 'rust'", in: context)
        }
        #expect(headings == [1])
        try SearchLibrary.check(second)
        second.coordinator.close()
        let unique = try ManagedObjectModel {
            EntityDeclaration("Article") {
                AttributeDeclaration(
                    "heading", .string, wireName: "title", searchable: TextSearch())
                AttributeDeclaration("body", .string, searchable: TextSearch(prefixLengths: [2]))
                AttributeDeclaration("stars", .integer64, optional: false, default: 0)
                RelationshipDeclaration("author", to: "Author", inverse: "articles")
                UniquenessConstraint("stars")
            }
            EntityDeclaration("Author") {
                AttributeDeclaration("name", .string, searchable: TextSearch())
                RelationshipDeclaration("articles", toMany: "Article", inverse: "author")
            }
        }
        let third = try library.open(unique)
        #expect(try stars("swift", third) == [0, 1])
        try SearchLibrary.check(third)
        third.coordinator.close()
    }

    @Test func `is reported if it differs from the rows`() throws {
        let container = try library.open()
        try container.newBackgroundContext().performAndWait { try SearchLibrary.fill($0) }
        #expect(try container.coordinator.store.check().damage == [])
        let file = try Connection(path: library.directory.file("a.anabranch"))
        try file.execute("DROP TRIGGER ab_Article_search_update")
        try file.execute("UPDATE Article SET title = 'Other' WHERE stars = 0")
        let damage = try container.coordinator.store.check().damage
        #expect(damage.count == 1 && damage[0].contains("ab_Article_search"), "\(damage)")
    }
}
