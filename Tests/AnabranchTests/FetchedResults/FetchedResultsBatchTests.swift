import Anabranch
import Foundation
import Testing

@Suite struct `Batches of fetched results` {
    private func fill(_ graph: Graph, _ count: Int) throws {
        try graph.inContext { context throws in
            for age in 0..<count { try context.person("p\(age)", age: Int64(age)) }
            try context.save()
        }
    }

    @Test func `all objects are counted at once, and read in slices`() throws {
        let graph = try Graph()
        try fill(graph, 100)
        try graph.inContext { context throws in
            let (results, _) = try context.results(.people(sortedBy: "age", batch: 20))
            #expect(context.registeredObjects.isEmpty)
            let before = graph.readStatements
            let objects = try #require(results.fetchedObjects)
            #expect(objects.count == 100 && Set(objects.objectIDs).count == 100)
            #expect(graph.readStatements == before)
            #expect(objects[50].age == 50)
            #expect(graph.readStatements == before + 1)
            #expect(objects.map(\.age) == Array(0..<100))
            #expect(graph.readStatements == before + 6)
            // At most the objects of the slices that were read last stay registered.
            #expect(context.registeredObjects.count <= 40)
        }
    }

    @Test func `an object stays the same as long as it is referenced`() throws {
        let graph = try Graph()
        try fill(graph, 60)
        try graph.inContext { context throws in
            let (results, _) = try context.results(.people(sortedBy: "age", batch: 10))
            let third = try #require(results.object(at: IndexPath(0, 3)))
            third.lastName = "kept"
            let objects = try #require(results.fetchedObjects)
            #expect(objects.reduce(0) { $0 + $1.age } == 1770)
            #expect(results.object(at: IndexPath(0, 3)) === third)
            #expect(objects[3].lastName == "kept")
        }
    }

    @Test func `a result that was asked for stays as it was`() throws {
        let graph = try Graph()
        try fill(graph, 10)
        try graph.inContext { context throws in
            for batch in [0, 4] {
                let (results, log) = try context.results(.people(sortedBy: "age", batch: batch))
                defer { withExtendedLifetime(log) {} }
                let before = try #require(results.fetchedObjects)
                let new = try context.person("new", age: 5)
                context.processPendingChanges()
                #expect(before.map(\.age) == Array(0..<10))
                #expect(results.fetchedObjects?.count == 11)
                context.delete(new)
                context.processPendingChanges()
                #expect(results.fetchedObjects?.count == 10)
            }
        }
    }

    @Test func `a context finds objects that are read in slices`() throws {
        let graph = try Graph()
        try fill(graph, 100)
        try graph.inContext { context throws in
            try context.person("new", age: 200)
            var request = FetchRequest<Person>()
            request.fetchBatchSize = 20
            request.predicate = try FetchPredicate("age >= 10")
            let before = graph.readStatements
            let people = try context.fetchBatched(request)
            #expect(people.count == 91 && graph.readStatements == before + 1)
            #expect(Set(people.map(\.age)) == Set((10..<100) + [200]))
            #expect(graph.readStatements == before + 6)
        }
    }

    @Test func `objects come realised and with their relationships where that is asked for`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss", age: 100)
            for age in 0..<6 { try context.person("p", age: Int64(age), boss: boss) }
            try context.save()
        }
        for batch in [0, 10] {
            try graph.inContext { context throws in
                var request = try FetchRequest<Person>.people(sortedBy: "age", batch: batch)
                request.returnsObjectsAsFaults = false
                request.relationshipKeyPathsForPrefetching = ["reports", "boss"]
                let (results, _) = try context.results(request)
                let people = try #require(results.fetchedObjects).map { $0 }
                let before = graph.readStatements
                #expect(people.allSatisfy { !$0.isFault })
                #expect(people.last?.reports.count == 6)
                #expect(people.first?.boss?.firstName == "Boss")
                #expect(graph.readStatements == before)
            }
        }
    }
}
