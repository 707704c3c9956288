import Anabranch
import Foundation
import Testing

/// Tests of snapshots and differences, the other forms in which a controller reports changes.
@Suite struct `Forms of fetched results` {
    private final class Snapshots: FetchedResultsSnapshotDelegate {
        var all: [FetchedResultsSnapshot] = []

        func controller(
            _ controller: FetchedResultsController<Person>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) { all.append(snapshot) }
    }

    private final class Differences: FetchedResultsDifferenceDelegate {
        var all: [CollectionDifference<ManagedObjectID>] = []
        var updated: [[ManagedObjectID]] = []

        func controller(
            _ controller: FetchedResultsController<Person>,
            didChangeContentWith difference: CollectionDifference<ManagedObjectID>,
            updating updated: [ManagedObjectID]
        ) {
            all.append(difference)
            self.updated.append(updated)
        }
    }

    @Test func `a snapshot comes after a fetch and after each change, and nothing else does`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            anna.lastName = "a"
            let (results, log) = try context.results(
                .people(sortedBy: "lastName"), sections: "lastName")
            let snapshots = Snapshots()
            let differences = Differences()
            results.snapshotDelegate = snapshots
            results.differenceDelegate = differences
            try results.performFetch()
            #expect(snapshots.all.map(\.sectionNames) == [["a"]])
            let bob = try context.person("Bob")
            bob.lastName = "b"
            context.processPendingChanges()
            bob.firstName = "Rob"
            context.processPendingChanges()
            #expect(snapshots.all.map(\.sectionNames) == [["a"], ["a", "b"], ["a", "b"]])
            let last = try #require(snapshots.all.last)
            #expect(Array(last.objectIDs) == [anna.objectID, bob.objectID])
            #expect(Array(last.objectIDs(inSection: 1)) == [bob.objectID])
            #expect(last.objectIDs(inSection: 2).isEmpty && last.numberOfObjects == 2)
            #expect(snapshots.all.map(\.updatedObjectIDs) == [[], [], [bob.objectID]])
            // The snapshots from before are unchanged.
            #expect(snapshots.all[0].numberOfObjects == 1)
            #expect(log.calls.isEmpty && differences.all.isEmpty)
        }
    }

    @Test func `a difference turns the IDs before into the IDs after`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let people = try (0..<6).map { try context.person("p\($0)", age: Int64($0)) }
            let (results, log) = try context.results(.people(sortedBy: "age"))
            let differences = Differences()
            results.differenceDelegate = differences
            let before = Array(try #require(results.fetchedObjects).objectIDs)
            people[4].age = -1
            people[2].lastName = "x"
            context.delete(people[3])
            try context.person("new", age: 3)
            context.processPendingChanges()
            let after = Array(try #require(results.fetchedObjects).objectIDs)
            let difference = try #require(differences.all.first)
            #expect(before.applying(difference) == after)
            #expect(difference.removals.count == 2 && difference.insertions.count == 2)
            #expect(differences.updated == [[people[2].objectID]])
            #expect(log.calls.isEmpty)
        }
    }

    @Test func `a difference is not computed if the result has sections`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (results, log) = try context.results(
                .people(sortedBy: "lastName"), sections: "lastName")
            let differences = Differences()
            results.differenceDelegate = differences
            try context.person("Anna")
            context.processPendingChanges()
            #expect(differences.all.isEmpty && log.calls.count == 4)
        }
    }

    @Test func `changes come as a sequence, too`() async throws {
        let graph = try Graph()
        let stream = try graph.inContext { context throws in
            let results = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age"), context: context)
            try results.performFetch()
            try context.person("unheard")
            context.processPendingChanges()
            let stream = results.changes()
            let anna = try context.person("Anna", age: 1)
            context.processPendingChanges()
            anna.firstName = "Anne"
            context.processPendingChanges()
            #expect(results.lastChangeNumber == 2)
            return stream
        }
        var all: [FetchedResultsChanges] = []
        for await changes in stream { all.append(changes) }
        #expect(all.map { $0.objects.map(\.kind) } == [[.insert, .insert], [.update]])
        #expect(all.map(\.number) == [1, 2])
        #expect(all.last?.objects.first?.indexPath == IndexPath(0, 1))
        #expect(all.allSatisfy { $0.sections.isEmpty && !$0.isEmpty })
    }

    @Test func `without a listener nothing is followed`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let (results, log) = try context.results(.people(sortedBy: "age"))
            results.delegate = nil
            try context.person("Anna")
            let before = graph.readStatements
            context.processPendingChanges()
            #expect(graph.readStatements == before && log.calls.isEmpty)
            #expect(results.names == [])
            try results.performFetch()
            #expect(results.names == ["Anna"])
        }
    }

    @Test func `a released controller is not notified`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let log = ResultsLog<Person>()
            var results: FetchedResultsController<Person>? = FetchedResultsController(
                fetchRequest: try .people(sortedBy: "age"), context: context)
            results?.delegate = log
            try results?.performFetch()
            weak let controller = results
            results = nil
            try context.person("Anna")
            context.processPendingChanges()
            #expect(controller == nil && log.calls.isEmpty)
        }
    }
}
