import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Two containers of one store, of which each is another process for the other.
private struct Processes {
    let graph: Graph
    let other: PersistentContainer

    init(
        _ kind: StoreKind = .usual,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws {
        graph = try Graph(kind, change)
        other = try Graph.open(graph.directory, kind)
    }

    /// A context of the first process that follows by itself.
    func follower() throws -> BackgroundContext {
        let context = graph.context()
        context.performAndWait { $0.automaticallyMergesChangesFromParent = true }
        return context
    }

    /// Runs a body in the other process and saves, with an author by which it is recognized.
    func elsewhere(
        _ author: String = "elsewhere", _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try other.newBackgroundContext().performAndWait { context throws in
            context.transactionAuthor = author
            try body(context)
            try context.save()
        }
    }

    /// Waits until the contexts of the first process have merged a change with an author.
    func reported(
        _ changes: AsyncStream<RemoteChange>, from author: String = "elsewhere"
    ) async throws {
        for await change in changes where change.author == author { return }
        Issue.record("the sequence of changes has ended")
    }
}

@Suite struct `Changes of another process` {
    @Test(arguments: StoreKind.allCases)
    func `reach contexts that follow by themselves, and observers`(kind: StoreKind) async throws {
        let processes = try Processes(kind)
        let follower = try processes.follower()
        let changes = processes.graph.coordinator.remoteChanges()
        let ids = try follower.performAndWait { context throws in
            let people = try ["Anna", "Bob"].map { try context.person($0) }
            context.retainsRegisteredObjects = true
            try context.save()
            return people.map(\.objectID)
        }
        let log = follower.performAndWait { context in
            NotificationLog(ManagedObjectContext.didMergeChangesObjectIDs, of: context)
        }
        try processes.elsewhere { context throws in
            let people = try context.people()
            people[0].age = 7
            context.delete(people[1])
            try context.person("Cleo", boss: people[0])
        }
        try await processes.reported(changes)
        try await follower.perform { context in
            let anna = try #require(try context.existingObject(with: ids[0]) as? Person)
            #expect(anna.age == 7 && !anna.hasChanges)
            #expect(anna.reports.map(\.firstName) == ["Cleo"])
            #expect(context.registeredObject(for: ids[1]) == nil)
        }
        let merged = try #require(log.all.first)
        #expect(log.all.count == 1 && merged.author == "elsewhere")
        #expect(merged.inserted.count == 1)
        #expect(merged.updated.contains(ids[0]) && merged.deleted.contains(ids[1]))
    }

    @Test func `reach controllers whose objects are not registered`() async throws {
        let processes = try Processes()
        let follower = try processes.follower()
        let changes = processes.graph.coordinator.remoteChanges()
        let count = try follower.performAndWait { context throws in
            let results = FetchedResultsController<Person>(
                fetchRequest: try .people(sortedBy: "firstName"), context: context)
            try results.performFetch()
            let log = ResultsLog<Person>()
            log.results = results
            results.delegate = log
            nonisolated(unsafe) let held = log
            return { @Sendable in held.results?.fetchedObjects?.count ?? 0 }
        }
        for number in 0..<40 {
            try processes.elsewhere("\(number)") { context throws in
                for index in 0..<11 { try context.person("p\(number).\(index)") }
            }
        }
        try await processes.reported(changes, from: "39")
        #expect(follower.performAndWait { _ in count() } == 440)
    }

    @Test func `keep unsaved edits of this process`() async throws {
        let processes = try Processes()
        let follower = try processes.follower()
        let changes = processes.graph.coordinator.remoteChanges()
        try follower.performAndWait { context throws in
            let anna = try context.person("Anna")
            try context.save()
            anna.lastName = "Karenina"
        }
        try processes.elsewhere { try $0.people()[0].age = 7 }
        try await processes.reported(changes)
        try await follower.perform { context in
            let anna = try #require(try context.people().first)
            #expect(anna.lastName == "Karenina" && anna.age == 7)
        }
    }

    @Test func `are not merged a second time if this process has saved them`() async throws {
        let processes = try Processes()
        let follower = try processes.follower()
        let changes = processes.graph.coordinator.remoteChanges()
        let log = follower.performAndWait { context in
            NotificationLog(ManagedObjectContext.didMergeChangesObjectIDs, of: context)
        }
        for number in 0..<10 {
            try processes.graph.inContext { context throws in
                context.transactionAuthor = "here"
                try context.person("here \(number)")
                try context.save()
            }
            try processes.elsewhere("\(number)") { try $0.person("elsewhere \(number)") }
        }
        try await processes.reported(changes, from: "9")
        follower.performAndWait { _ in }
        #expect(log.all.filter { $0.author == "" }.count == 10, "each save of this process once")
        #expect(log.all.filter { $0.author != "" }.reduce(0) { $0 + $1.inserted.count } == 10)
    }

    @Test func `that merging has caused refresh every registered object`() async throws {
        let processes = try Processes()
        let (there, zone) = (try Graph(), Zone())
        let follower = try processes.follower()
        try processes.elsewhere { context throws in
            let boss = try context.person("Boss")
            try context.person("Anna", boss: boss)
            try context.person("Bob")
        }
        try zone.exchange(processes.other.coordinator)
        try zone.exchange(there)
        let ids = try await follower.perform { context in
            context.retainsRegisteredObjects = true
            let people = try context.people()
            #expect(people[2].firstName == "Boss" && people[2].reports.count == 1)
            return (anna: people[0].objectID, bob: people[1].objectID, boss: people[2].objectID)
        }
        try there.inContext { context throws in
            let people = try context.people()
            people[0].boss = nil
            context.delete(people[1])
            people[2].age = 50
            try context.save()
        }
        try zone.exchange(there)
        let changes = processes.graph.coordinator.remoteChanges()
        try zone.exchange(processes.other.coordinator)
        // The first change may be that of the insertions.
        for await _ in changes {
            let hasCome = try await follower.perform { context in
                (context.registeredObject(for: ids.boss) as? Person)?.age == 50
            }
            if hasCome { break }
        }
        try await follower.perform { context in
            let boss = try #require(context.registeredObject(for: ids.boss) as? Person)
            #expect(boss.age == 50 && boss.reports.isEmpty)
            #expect(context.registeredObject(for: ids.bob) == nil)
            let anna = try #require(context.registeredObject(for: ids.anna) as? Person)
            #expect(anna.boss == nil)
        }
    }

    @Test func `stay out of contexts if an option says so`() async throws {
        let processes = try Processes { $0.followsOtherProcesses = false }
        let follower = try processes.follower()
        try processes.elsewhere { try $0.person("Anna", age: 1) }
        var positions = processes.graph.coordinator.historyPositions().makeAsyncIterator()
        let first = try #require(try await positions.next())
        let id = try await follower.perform { context in
            context.retainsRegisteredObjects = true
            return try context.people()[0].objectID
        }
        try processes.elsewhere { try $0.people()[0].age = 2 }
        while let next = try await positions.next(), next <= first {}
        try await follower.perform { context in
            let anna = try #require(context.registeredObject(for: id) as? Person)
            #expect(anna.age == 1)
        }
    }

    @Test func `do not keep a released container or a closed store alive`() async throws {
        let graph = try Graph()
        let changes = graph.coordinator.remoteChanges()
        graph.coordinator.close()
        #expect(!FileManager.default.fileExists(atPath: graph.coordinator.url.path + "-wal"))
        weak var coordinator: PersistentStoreCoordinator?
        var released: AsyncStream<RemoteChange>?
        do {
            let other = try Graph()
            coordinator = other.coordinator
            released = other.coordinator.remoteChanges()
        }
        for await _ in try #require(released) {}
        #expect(coordinator == nil)
        withExtendedLifetime(changes) {}
    }
}
