import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `Caches of fetched results` {
    private func fill(_ graph: Graph) throws {
        try graph.inContext { context throws in
            for number in 0..<30 {
                let person = try context.person("p\(number)", age: Int64(number))
                person.lastName = "\(number % 4)"
                person.salary = Decimal(number) / 10
            }
            try context.save()
        }
    }

    private func request(_ batch: Int = 10) throws -> FetchRequest<Person> {
        try .people("age >= 3", sortedBy: "lastName", "salary", "firstName", batch: batch)
    }

    /// Fetches in a new context.
    ///
    /// - Returns: The names that were found, and the number of SELECT statements.
    private func fetch(
        _ graph: Graph, _ request: FetchRequest<Person>, cache: String? = "people",
        sections: String? = "lastName"
    ) throws -> (names: [String?], sections: [String], reads: Int) {
        try graph.inContext { context throws in
            let results = FetchedResultsController(
                fetchRequest: request, context: context, sectionNameKeyPath: sections,
                cacheName: cache)
            let before = graph.readStatements
            try results.performFetch()
            let reads = graph.readStatements - before
            return (results.names, results.sectionNames, reads)
        }
    }

    private func files(_ graph: Graph) -> [URL] {
        let folder = graph.directory.url.appending(path: "company.anabranch-results")
        return
            (try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)) ?? []
    }

    @Test func `a cached result is the same without being sought, until the store changes`()
        throws
    {
        let graph = try Graph(.file)
        try fill(graph)
        let plain = try fetch(graph, try request(), cache: nil)
        let first = try fetch(graph, try request())
        let second = try fetch(graph, try request())
        #expect(first.names == plain.names && second.names == plain.names)
        #expect(second.sections == ["0", "1", "2", "3"])
        // Only the store's state is read.
        #expect(second.reads < first.reads)
        _ = try graph.changes { try $0.people("age == 20").first?.age = 0 }
        #expect(try fetch(graph, try request()).names.count == plain.names.count - 1)
    }

    @Test func `results without batches come from a cache too`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        let first = try fetch(graph, try request(0))
        let second = try fetch(graph, try request(0))
        #expect(first.names == second.names && first.sections == second.sections)
    }

    @Test func `another request does not get it`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        #expect(try fetch(graph, try request()).names.count == 27)
        var other = try request()
        other.predicate = try FetchPredicate("age >= 13")
        #expect(try fetch(graph, other).names.count == 17)
        other.fetchLimit = 5
        #expect(try fetch(graph, other).names.count == 5)
        #expect(try fetch(graph, other).names.count == 5)
        other.predicate = try FetchPredicate("age >= $least")
        other.variables = ["least": 25]
        other.fetchLimit = 0
        #expect(try fetch(graph, other).names.count == 5)
        other.variables = ["least": 26]
        #expect(try fetch(graph, other).names.count == 4)
    }

    @Test func `an unsaved object is neither hidden by a cache nor written to it`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        try graph.inContext { context throws in
            try context.person("new", age: 100)
            let results = FetchedResultsController(
                fetchRequest: try request(), context: context, cacheName: "people")
            try results.performFetch()
            #expect(results.fetchedObjects?.count == 28)
        }
        #expect(files(graph).isEmpty)
    }

    @Test func `a child's cache hides nothing of its parent, and holds nothing unsaved`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        let stored = try fetch(graph, try request())
        #expect(stored.names.count == 27)
        let request = try request()
        try graph.inContext { parent throws in
            try parent.person("new", age: 100)
            let child = parent.newChildContext()
            for name in ["people", "others"] {
                let results = FetchedResultsController(
                    fetchRequest: request, context: child, sectionNameKeyPath: "lastName",
                    cacheName: name)
                try results.performFetch()
                #expect(results.fetchedObjects?.count == 28)
            }
        }
        #expect(try fetch(graph, request, cache: "others").names == stored.names)
    }

    @Test(arguments: [0, 10]) func `a pinned context's cache is of the state that it reads`(
        batch: Int
    ) throws {
        let graph = try Graph(.file)
        try fill(graph)
        let request = try request(batch)
        func count(_ context: ManagedObjectContext, _ cache: String) throws -> Int? {
            let results = FetchedResultsController(
                fetchRequest: request, context: context, cacheName: cache)
            try results.performFetch()
            return results.fetchedObjects?.count
        }
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try context.count(for: request) == 27)
            try graph.inContext { other throws in
                try other.person("new", age: 100)
                try other.save()
                // The cache was written for the newest state.
                #expect(try count(other, "newest") == 28)
            }
            #expect(try count(context, "newest") == 27)
            // The cache was written for the pinned state.
            #expect(try count(context, "pinned") == 27)
            try context.setQueryGeneration(from: nil)
            #expect(try count(context, "pinned") == 28)
        }
        #expect(try fetch(graph, request, cache: "pinned", sections: nil).names.count == 28)
    }

    @Test func `a damaged file counts as missing, and is rewritten`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        let plain = try fetch(graph, try request())
        let file = try #require(files(graph).first)
        let sound = try Data(contentsOf: file)
        for length in [0, 5, 20, 60, sound.count - 1] {
            try sound.prefix(length).write(to: file)
            #expect(try fetch(graph, try request()).names == plain.names)
            #expect(try Data(contentsOf: file) == sound)
        }
        for place in stride(from: 0, to: sound.count, by: 7) {
            var spoiled = sound
            spoiled[place] ^= 0x15
            try spoiled.write(to: file)
            #expect(try fetch(graph, try request()).names == plain.names)
        }
        #expect(try Data(contentsOf: file) == sound)
    }

    @Test func `a folder that can't be written is no error`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        let blocked = graph.file("blocked")
        try Data().write(to: blocked)
        try graph.inContext { context throws in
            let results = FetchedResultsController(
                fetchRequest: try request(), context: context, cacheName: "people",
                cacheDirectory: blocked)
            try results.performFetch()
            #expect(results.fetchedObjects?.count == 27)
        }
    }

    @Test func `a store in memory has no cache beside it`() throws {
        let graph = try Graph(.memory)
        try fill(graph)
        let first = try fetch(graph, try request())
        #expect(try fetch(graph, try request()).reads == first.reads)
        try FetchedResultsController<Person>.deleteCache(withName: nil, of: graph.coordinator)
        #expect(files(graph).isEmpty)
    }

    @Test func `caches are deleted by name, or all`() throws {
        let graph = try Graph(.file)
        try fill(graph)
        for name in ["a", "b/../c", "ä"] { _ = try fetch(graph, try request(), cache: name) }
        #expect(files(graph).count == 3)
        typealias Results = FetchedResultsController<Person>
        try Results.deleteCache(withName: "b/../c", of: graph.coordinator)
        #expect(files(graph).count == 2)
        try Results.deleteCache(withName: "none", of: graph.coordinator)
        try Results.deleteCache(withName: nil, of: graph.coordinator)
        #expect(files(graph).isEmpty)
    }
}
