import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// Weak references to objects that should be deallocated.
private struct Remains {
    private final class Weak {
        weak var object: AnyObject?
        let name: String
        init(_ object: AnyObject, _ name: String) {
            self.object = object
            self.name = name
        }
    }

    private var all: [Weak] = []

    mutating func add(_ object: AnyObject, _ name: String) { all.append(Weak(object, name)) }

    /// The names of the objects that are still alive.
    var names: [String] { all.filter { $0.object != nil }.map(\.name) }
}

@Suite struct `What contexts keep` {
    @Test func `a graph without strong references is freed whole`() async throws {
        let directory = try TemporaryDirectory("remains")
        nonisolated(unsafe) var remains = Remains()
        do {
            let container = try Graph.open(directory, .file)
            remains.add(container, "container")
            remains.add(container.coordinator, "coordinator")
            let parent = container.newBackgroundContext()
            let child = BackgroundContext(parent: parent)
            let changes = parent.performAndWait { context in
                context.undoManager = UndoStack()
                context.automaticallyMergesChangesFromParent = true
                remains.add(context, "parent")
                return context.objectChanges()
            }
            try await child.perform { context in
                remains.add(context, "child")
                context.automaticallyMergesChangesFromParent = true
                let anna = try context.person("Anna")
                let bert = try context.person("Bert", boss: anna)
                let group = try context.insert(Group.self)
                group.members.formUnion([anna, bert])
                remains.add(anna, "the child's object")
                try context.save()
                bert.age = 7
            }
            try await parent.perform { context in
                let people = try context.people()
                remains.add(people[0], "the parent's object")
                try context.save()
                let child = context.newChildContext()
                remains.add(child, "the child of the same queue")
                try child.people()[0].age = 4
                try child.save()
                let list = FetchedResultsController(
                    fetchRequest: context.sorted, context: context)
                try list.performFetch()
                remains.add(list, "the results")
                try context.setQueryGeneration(from: .current)
                _ = try context.people()
                context.delete(people[1])
                people[0].lastName = "Berg"
            }
            var iterator = changes.makeAsyncIterator()
            _ = await iterator.next()
        }
        for _ in 0..<3_000 where !remains.names.isEmpty {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(remains.names == [])
    }

    @Test func `faults that are read by fetches leave no trace`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for number in 0..<200 { try context.person("P\(number)") }
            try context.save()
        }
        try graph.inContext { context throws in
            let people = try context.people()
            for _ in 0..<50 {
                try context.refreshAllObjects()
                _ = try context.people()
            }
            let faults = context.homesInUse.reduce(0) { $0 + $1.faults.count }
            #expect(faults <= 1000)
            // They are still read in one batch.
            try context.refreshAllObjects()
            let before = graph.readStatements
            #expect(people.allSatisfy { $0.firstName != nil })
            #expect(graph.readStatements - before == 1)
        }
    }

    @Test func `objects that to-manys have read leave the context before the event ends`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for _ in 0..<100 {
                let boss = try context.person("Boss", age: 1)
                for _ in 0..<60 { try context.person("Report", boss: boss) }
            }
            try context.save()
        }
        try graph.inContext { context throws in
            for boss in try context.people("age == 1") {
                #expect(boss.reports.compactMap(\.firstName).count == 60)
            }
            #expect(context.registry.count < 5_000)
        }
    }

    @Test func `refreshing repeatedly in one event reports each object once`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            try context.save()
            for _ in 0..<10_000 { try context.refresh(anna, mergeChanges: true) }
            #expect(context.event.refreshed.count < 1000)
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            context.processPendingChanges()
            #expect(log.all.map { Array($0.refreshed) } == [[anna.objectID]])
        }
    }

    @Test func `repeated reads of objects that refer to a deleted one are noted only once`() throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let boss = try context.person("Boss")
            for number in 0..<100 { try context.person("P\(number)", boss: boss) }
            try context.save()
        }
        try graph.inContext { context throws in
            context.delete(try context.people("firstName == 'Boss'")[0])
            context.processPendingChanges()
            for _ in 0..<100 {
                #expect(try context.people().allSatisfy { $0.boss == nil })
                context.releaseUnused()
            }
            #expect(context.refaultedIDs.count <= 2000)
            let people = try context.people()
            context.rollback()
            #expect(people.count == 100 && people.allSatisfy { $0.boss?.firstName == "Boss" })
        }
    }
}

extension ManagedObjectContext {
    fileprivate var sorted: FetchRequest<Person> {
        var request = FetchRequest<Person>()
        request.sorts = [FetchSort("firstName")]
        return request
    }
}
