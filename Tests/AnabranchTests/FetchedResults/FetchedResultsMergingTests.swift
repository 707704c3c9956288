import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of a controller's reports on changes of another context or replica.
@Suite struct `Fetched results beside concurrent saves` {
    @Test func `objects that another context saves come with the merge, registered or not`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            for number in 1...4 { try context.person("p\(number)", age: Int64(number)) }
            try context.save()
        }
        try graph.inContext { context throws in
            let (results, log) = try context.results(.people("age > 1", sortedBy: "age"))
            let changes = try graph.changes { other in
                let people = try other.people()
                people[0].age = 10
                people[1].age = 11
                people[2].age = 0
                other.delete(people[3])
                try other.person("p5", age: 5)
            }
            #expect(log.calls.isEmpty)
            let before = graph.readStatements
            try context.mergeChanges(from: changes)
            // One SELECT refreshes the registered objects, and one reads the rest.
            #expect(graph.readStatements - before <= 2)
            #expect(results.names == ["p5", "p1", "p2"])
            #expect(log.calls.filter { $0 == .will }.count == 1)
            let kinds = log.objects.map { call -> FetchedResultsChangeType? in
                if case .object(let kind, _, _, _) = call { kind } else { nil }
            }
            #expect(kinds == [.delete, .delete, .insert, .insert, .update])
        }
    }

    @Test func `deleted IDs that are merged leave the result`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.person("Bob", age: 2)
            try context.save()
            let (results, log) = try context.results(.people(sortedBy: "age"))
            let id = anna.objectID
            _ = try graph.changes { $0.delete(try #require(try $0.people().first)) }
            #expect(log.calls.isEmpty)
            try context.mergeChanges(from: ObjectIDChanges(deleted: [id]))
            #expect(log.objects == [.object(.delete, id, IndexPath(0, 0), nil)])
            #expect(results.names == ["Bob"])
            #expect(anna.managedObjectContext == nil)
            #expect(context.registeredObject(for: id) == nil)
        }
    }

    @Test func `unsaved edits go before what is merged`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.person("Bob", age: 5)
            try context.save()
            let (results, log) = try context.results(.people(sortedBy: "age"))
            anna.age = 9
            context.processPendingChanges()
            log.clear()
            let changes = try graph.changes {
                let people = try $0.people()
                people[0].age = 2
                people[1].age = 20
            }
            try context.mergeChanges(from: changes)
            #expect(results.names == ["Anna", "Bob"] && anna.age == 9)
            let bob = try #require(results.object(at: IndexPath(0, 1)))
            #expect(
                log.objects == [
                    .object(.move, bob.objectID, IndexPath(0, 0), IndexPath(0, 1)),
                    .object(.update, anna.objectID, IndexPath(0, 1), IndexPath(0, 0)),
                ])
        }
    }

    @Test func `remote changes come with one read for what is not registered`() async throws {
        let here = try Graph()
        let there = try Graph()
        let zone = Zone()
        try here.inContext { context throws in
            for number in 0..<200 { try context.person("p\(number)", age: Int64(number)) }
            try context.save()
        }
        try zone.exchange(here)
        try zone.exchange(there)
        try there.inContext { other throws in
            try other.people("age == 7").first?.age = 1000
            other.delete(try #require(try other.people("age == 8").first))
            for number in 0..<5 { try other.person("new", age: Int64(number * 10)) }
            try other.person("young", age: -1)
            try other.save()
        }
        try zone.exchange(there)
        let background = here.context()
        let kept = Kept()
        try background.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            let (results, log) = try context.results(
                .people("age >= 0", sortedBy: "age", batch: 20))
            kept.results = results
            kept.log = log
        }
        let changed = try zone.exchange(here)
        let before = here.readStatements
        await withCheckedContinuation { done in
            here.coordinator.didApply(changed) { done.resume() }
        }
        #expect(here.readStatements - before == 1)
        try background.performAndWait { context in
            let results = try #require(kept.results)
            let expected = try context.fetch(try .people("age >= 0", sortedBy: "age"))
            #expect(results.fetchedObjects.map { Array($0.objectIDs) } == expected.map(\.objectID))
            #expect(kept.log?.objects.count == 7)
            kept.results = nil
            kept.log = nil
        }
    }

    @Test func `a listener that was inactive receives everything with the next event`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            let bob = try context.person("Bob", age: 2)
            try context.save()
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age"), context: context)
            try results.performFetch()
            try context.person("Cyd", age: 0)
            bob.lastName = "B"
            context.processPendingChanges()
            #expect(results.names == ["Anna", "Bob"])
            let log = ResultsLog<Person>()
            results.delegate = log
            context.delete(anna)
            context.processPendingChanges()
            #expect(results.names == ["Cyd", "Bob"])
            #expect(log.objects.count == 3)
        }
    }
}

/// Values that live on a context's queue from one block to the next.
private final class Kept: @unchecked Sendable {
    var results: FetchedResultsController<Person>?
    var log: ResultsLog<Person>?
}
