import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of the cost of one change among many objects.
@Suite struct `The cost of fetched results` {
    private func fill(_ graph: Graph, _ count: Int) throws {
        try graph.inContext { context throws in
            for number in 0..<count {
                let person = try context.person("p", age: Int64(number))
                person.lastName = "\(number % 50)"
            }
            try context.save()
        }
    }

    @Test(arguments: [0, 50])
    func `one change among many is reported without a read`(batch: Int) throws {
        let graph = try Graph()
        try fill(graph, 20_000)
        try graph.inContext { context throws in
            let (results, log) = try context.results(
                .people(sortedBy: "lastName", "age", batch: batch), sections: "lastName")
            let person = try #require(results.object(at: IndexPath(20, 100)))
            _ = person.age
            let before = graph.readStatements
            person.lastName = "3"
            context.processPendingChanges()
            try context.person("new").lastName = "zz"
            context.processPendingChanges()
            #expect(graph.readStatements == before)
            #expect(log.objects.count == 2)
            context.delete(person)
            context.processPendingChanges()
            #expect(log.objects.count == 3)
        }
    }

    @Test func `one change of another context costs one read, of one row`() throws {
        let graph = try Graph()
        try fill(graph, 20_000)
        try graph.inContext { context throws in
            let (results, log) = try context.results(.people(sortedBy: "age", batch: 50))
            let changes = try graph.changes {
                try $0.people("age == 777").first?.age = 100_000
            }
            let before = graph.coordinator.store.readStatistics
            try context.mergeChanges(from: changes)
            let after = graph.coordinator.store.readStatistics
            #expect(after.selects - before.selects == 1 && after.rows - before.rows <= 1)
            #expect(log.objects.count == 1)
            #expect(results.fetchedObjects?.last?.age == 100_000)
        }
    }

    @Test(.long) func `the time of a change does not grow with the number of objects`() throws {
        /// Returns the time of the fastest of many changes.
        func time(_ count: Int) throws -> Duration {
            let graph = try Graph()
            try fill(graph, count)
            return try graph.inContext { context throws in
                let (results, log) = try context.results(.people(sortedBy: "age"))
                let person = try #require(results.fetchedObjects?[count / 2])
                var least = Duration.seconds(60)
                for number in 0..<60 {
                    person.age = Int64((number * 7919) % count)
                    least = min(least, ThreadTime.measure { context.processPendingChanges() })
                }
                #expect(!log.objects.isEmpty)
                return least
            }
        }
        let few = try time(500)
        let many = try time(50_000)
        #expect(many < few * 20, "\(few) among 500, \(many) among 50,000")
    }
}
