import Anabranch
import Foundation
import Testing

/// Results of requests with a limit and an offset.
@Suite struct `Windows of fetched results` {
    private func window(_ limit: Int, _ offset: Int) throws -> FetchRequest<Person> {
        var request = try FetchRequest<Person>.people("age >= 0", sortedBy: "age")
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    @Test(arguments: [
        (Int.max, 0), (Int.max, 1), (0, Int.max), (Int.max, Int.max), (Int.min, Int.min),
    ])
    func `limits and offsets may be as large as numbers are`(limit: Int, offset: Int) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("A")
            try context.save()
            try context.person("B")
            let request = try window(limit, offset)
            let left = max(2 - max(offset, 0), 0)
            #expect(try context.fetch(request).count == left)
            #expect(try context.count(for: request) == left)
            #expect(try context.objectIDs(for: request).count == left)
            #expect(try context.fetchBatched(request).count == left)
            let (results, log) = try context.results(request)
            #expect(results.fetchedObjects?.count == left)
            try context.person("C")
            try context.save()
            #expect(results.fetchedObjects?.count == (left > 0 ? left + 1 : 0))
            withExtendedLifetime(log) {}
        }
    }

    @Test func `an object that comes pushes out the last, and one that goes pulls in the next`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (0..<6).map { try context.person("p\($0)", age: Int64($0) * 10) }
            try context.save()
            let (results, log) = try context.results(try window(3, 1))
            #expect(results.names == ["p1", "p2", "p3"])
            let new = try context.person("new", age: 15)
            context.processPendingChanges()
            #expect(results.names == ["p1", "new", "p2"])
            #expect(
                log.objects == [
                    .object(.delete, people[3].objectID, IndexPath(0, 2), nil),
                    .object(.insert, new.objectID, nil, IndexPath(0, 1)),
                ])
            log.clear()
            context.delete(people[0])
            context.processPendingChanges()
            #expect(results.names == ["new", "p2", "p3"])
            #expect(
                log.objects == [
                    .object(.delete, people[1].objectID, IndexPath(0, 0), nil),
                    .object(.insert, people[3].objectID, nil, IndexPath(0, 2)),
                ])
            log.clear()
            people[5].age = 1000
            context.processPendingChanges()
            #expect(log.calls.isEmpty)
            people[5].age = 0
            context.processPendingChanges()
            #expect(results.names == ["p1", "new", "p2"])
        }
    }

    @Test func `a window is filled again however many go`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for age in 0..<600 { try context.person("p\(age)", age: Int64(age)) }
            try context.save()
        }
        try graph.inContext { context throws in
            let (results, log) = try context.results(try window(10, 5))
            #expect(results.fetchedObjects?.first?.age == 5)
            for person in try context.people("age < 300") { context.delete(person) }
            context.processPendingChanges()
            #expect(results.fetchedObjects?.map(\.age) == Array(305..<315))
            #expect(log.objects.count == 20)
            try context.save()
            for age in 0..<2000 { try context.person("n", age: Int64(age)) }
            context.processPendingChanges()
            #expect(results.fetchedObjects?.map(\.age) == Array(5..<15))
            context.rollback()
            #expect(results.fetchedObjects?.map(\.age) == Array(305..<315))
        }
    }

    @Test func `an offset beyond the end is an empty result until there is enough`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("a", age: 1)
            let (results, log) = try context.results(try window(0, 2))
            #expect(results.fetchedObjects?.isEmpty == true)
            try context.person("b", age: 2)
            context.processPendingChanges()
            #expect(log.calls.isEmpty)
            let first = try context.person("c", age: 0)
            context.processPendingChanges()
            #expect(results.names == ["b"])
            context.delete(first)
            context.processPendingChanges()
            #expect(results.names == [])
        }
    }
}
