import Anabranch
import Foundation
import TestSupport
import Testing

/// Tests of search results that follow the changes of their context.
@MainActor @Suite struct `Live searches` {
    private let library: SearchLibrary
    private let context: ManagedObjectContext

    init() throws {
        library = try SearchLibrary()
        let container = try library.open()
        context = container.viewContext
        try SearchLibrary.fill(context)
    }

    private func request(sortedBy sorts: [FetchSort]) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Article")
        request.predicate = try FetchPredicate("SELF MATCHES[s] 'swift'")
        request.sorts = sorts
        return request
    }

    private func stars(_ objects: FetchedObjects<ManagedObject>?) -> [Int64]? {
        objects?.map(SearchLibrary.stars)
    }

    @Test func `objects enter and leave a result by their texts`() async throws {
        var results = try context.values(of: request(sortedBy: [FetchSort("stars")]))
            .makeAsyncIterator()
        #expect(stars(try await results.next()) == [0, 1])
        let new = try SearchLibrary.insert("Swift", stars: 5, context)
        #expect(stars(try await results.next()) == [0, 1, 5])
        new["title"] = "Other"
        #expect(stars(try await results.next()) == [0, 1])
    }

    @Test func `a ranked result is ranked again by each change`() async throws {
        let best = [FetchSort("@relevance", ascending: false)]
        var results = try context.values(of: request(sortedBy: best)).makeAsyncIterator()
        #expect(stars(try await results.next()) == [0, 1])
        let new = try SearchLibrary.insert("Swift", stars: 5, context)
        #expect(stars(try await results.next()) == [5, 0, 1])
        new["title"] = .null
        new["body"] = .string("swift " + String(repeating: "other words ", count: 50))
        try context.save()
        var last = stars(try await results.next())
        while last == [5, 0, 1] { last = stars(try await results.next()) }
        #expect(last == [0, 1, 5])
    }
}
