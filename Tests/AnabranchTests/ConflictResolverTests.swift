import Anabranch
import AnabranchReplication
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct `Reports of conflicts` {
    @Test func `a page that recorded conflicts is reported once, when contexts show it`()
        async throws
    {
        let scenario = try ConflictScenario()
        try scenario.collide(
            here: {
                $0.firstName = "Here"
                $0.age = 2
            },
            there: {
                $0.firstName = "There"
                $0.age = 3
            })
        try scenario.zone.exchange(scenario.there)
        let coordinator = scenario.here.coordinator
        let context = scenario.here.context()
        let (anna, shown) = try context.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            let anna = try context.named("Anna")
            // A changed object stays registered.
            anna.lastName = "Anna A."
            context.processPendingChanges()
            return (
                anna.objectID,
                NotificationLog(ManagedObjectContext.didMergeChangesObjectIDs, of: context)
            )
        }
        let log = Mutex<[(RecordedConflicts, isShown: Bool)]>([])
        let token = NotificationCenter.default.addObserver(
            forName: PersistentStoreCoordinator.didRecordConflicts, object: coordinator, queue: nil
        ) { notification in
            guard let conflicts = notification.recordedConflicts else { return }
            log.withLock { $0.append((conflicts, !shown.all.isEmpty)) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        var stream = coordinator.recordedConflicts().makeAsyncIterator()
        try await scenario.merge(into: scenario.here)
        let told = log.withLock { $0 }
        #expect(told.count == 1 && told.first?.isShown == true)
        let conflicts = try #require(told.first?.0)
        #expect(conflicts.count == 2 && Array(conflicts.objectIDs) == [anna])
        #expect(try conflicts.ids == coordinator.conflicts().map(\.id).reversed())
        #expect(await stream.next()?.ids == conflicts.ids)
        try scenario.edit(scenario.there) { $0.age = 8 }
        try scenario.zone.exchange(scenario.there)
        try await scenario.merge(into: scenario.here)
        #expect(log.withLock { $0.count } == 1)
    }
}

/// Counts the conflicts that it received and passes them on.
private final class Recorder: ConflictResolver {
    private let batches = Mutex<[[ConflictEntry.ID]]>([])
    private let body: @Sendable ([ConflictEntry], ManagedObjectContext, Int) throws -> Void

    init(_ body: @escaping @Sendable ([ConflictEntry], ManagedObjectContext, Int) throws -> Void) {
        self.body = body
    }

    var given: [[ConflictEntry.ID]] { batches.withLock { $0 } }

    func resolve(_ conflicts: [ConflictEntry], in context: ManagedObjectContext) throws {
        let count = batches.withLock { batches in
            batches.append(conflicts.map(\.id))
            return batches.count
        }
        try body(conflicts, context, count)
    }

    /// Joins both names in alphabetical order, unless an earlier resolver has decided.
    static func joiningNames() -> Recorder {
        Recorder { conflicts, context, _ in
            for conflict in conflicts {
                guard let id = try context.coordinator.managedObjectID(of: conflict),
                    let person = try context.existingObject(with: id) as? Person,
                    case .string(let lost) = conflict.value,
                    case .string(let winner)? = conflict.winningValue,
                    person.firstName == winner
                else { continue }
                person.firstName = [lost, winner].sorted().joined(separator: " or ")
            }
        }
    }
}

private struct Refusal: Error {}

@Suite struct `A resolver of the app's own` {
    let scenario: ConflictScenario
    var here: Graph { scenario.here }
    var there: Graph { scenario.there }

    init() throws { scenario = try ConflictScenario() }

    private func collide() throws {
        try scenario.collide(here: { $0.firstName = "Here" }, there: { $0.firstName = "There" })
        try scenario.zone.exchange(there)
    }

    private func lastSets(_ graph: Graph, after count: Int) throws -> [ChangeSet] {
        try graph.coordinator.changeSets().dropFirst(count).map(\.changeSet)
    }

    @Test func `runs once a page and saves one change set, which travels`() async throws {
        let resolver = Recorder.joiningNames()
        here.container.conflictResolver = resolver
        try collide()
        let held = try here.coordinator.changeSets().count
        try await scenario.merge(into: here)
        #expect(try resolver.given == [here.coordinator.conflicts().map(\.id)])
        let sets = try lastSets(here, after: held)
        #expect(sets.map(\.author) == ["Bob", "resolver"])
        #expect(here.coordinator.lastConflictResolution?.hasSaved == true)
        #expect(here.coordinator.lastConflictResolution?.error == nil)
        try await scenario.merge(into: here)
        #expect(try here.coordinator.conflictCount() == 1 && resolver.given.count == 1)
        try scenario.exchange()
        #expect(try scenario.anna(there, \.firstName) == "Here or There")
        #expect(try scenario.anna(here, \.firstName) == "Here or There")
    }

    @Test func `does not run for a page without conflicts, nor on a replica that had none`()
        async throws
    {
        let resolver = Recorder.joiningNames()
        there.coordinator.conflictResolver = resolver
        try scenario.edit(here) { $0.firstName = "Here" }
        try scenario.zone.exchange(here)
        try await scenario.merge(into: there)
        #expect(resolver.given.isEmpty && there.coordinator.lastConflictResolution == nil)
    }

    @Test func `its error is reported, saves nothing and leaves the journal`() async throws {
        let resolver = Recorder { conflicts, context, _ in
            for conflict in conflicts {
                let id = try #require(try context.coordinator.managedObjectID(of: conflict))
                (try context.existingObject(with: id) as? Person)?.firstName = "half done"
            }
            throw Refusal()
        }
        let coordinator = here.coordinator
        coordinator.conflictResolver = resolver
        let log = Mutex<[ConflictResolution]>([])
        let token = NotificationCenter.default.addObserver(
            forName: PersistentStoreCoordinator.didResolveConflicts, object: coordinator,
            queue: nil
        ) { notification in
            guard let resolution = notification.conflictResolution else { return }
            log.withLock { $0.append(resolution) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try collide()
        try await scenario.merge(into: here)
        let told = try #require(log.withLock { $0.count == 1 ? $0.first : nil })
        #expect(told.error is Refusal && !told.hasSaved)
        #expect(try told.conflicts == coordinator.conflicts().map(\.id))
        #expect(coordinator.lastConflictResolution?.error is Refusal)
        #expect(try coordinator.conflictCount() == 1)
        #expect(try scenario.anna(here, \.firstName) == "There")
        try scenario.edit(there) { $0.age = 8 }
        try scenario.zone.exchange(there)
        try await scenario.merge(into: here)
        #expect(resolver.given.count == 1)
    }

    @Test func `the resolver runs again if the object is saved meanwhile`() async throws {
        let graph = here
        let resolver = Recorder { conflicts, context, count in
            let id = try #require(try context.coordinator.managedObjectID(of: conflicts[0]))
            let anna = try #require(try context.existingObject(with: id) as? Person)
            anna.firstName = "\(anna.age)"
            guard count == 1 else { return }
            try graph.inContext { other throws in
                try other.named("Anna").age = 77
                try other.save()
            }
        }
        here.coordinator.conflictResolver = resolver
        try collide()
        try await scenario.merge(into: here)
        #expect(resolver.given.count == 2 && resolver.given.first == resolver.given.last)
        #expect(here.coordinator.lastConflictResolution?.hasSaved == true)
        #expect(try scenario.anna(here, \.firstName) == "77")
    }

    @Test func `two replicas with one resolver come to rest`() async throws {
        let resolvers = [Recorder.joiningNames(), Recorder.joiningNames()]
        here.coordinator.conflictResolver = resolvers[0]
        there.coordinator.conflictResolver = resolvers[1]
        try scenario.edit(here) { $0.firstName = "Here" }
        try scenario.edit(there) { $0.firstName = "There" }
        for _ in 0..<4 {
            for graph in [here, there] { try await scenario.merge(into: graph) }
        }
        #expect(resolvers.allSatisfy { $0.given.count == 1 })
        for graph in [here, there] {
            #expect(try scenario.anna(graph, \.firstName) == "Here or There")
            #expect(try graph.coordinator.conflictCount() == 1)
        }
        #expect(try here.coordinator.canonicalHash() == there.coordinator.canonicalHash())
    }

    @Test func `is given what its own save loses only as a new conflict`() async throws {
        let resolver = Recorder { conflicts, context, count in
            let id = try #require(try context.coordinator.managedObjectID(of: conflicts[0]))
            (try context.existingObject(with: id) as? Person)?.firstName = "resolved \(count)"
        }
        here.coordinator.conflictResolver = resolver
        try collide()
        try await scenario.merge(into: here)
        try scenario.edit(there) { $0.firstName = "There again" }
        try scenario.zone.exchange(there)
        try await scenario.merge(into: here)
        let ids = try here.coordinator.conflicts().map(\.id)
        #expect(resolver.given == [[ids[1]], [ids[0]]])
        #expect(try here.coordinator.conflicts().first?.lost.author == "resolver")
        #expect(try scenario.anna(here, \.firstName) == "resolved 2")
    }

    @Test func `gets what was in the journal before when it is asked to`() async throws {
        try collide()
        try await scenario.merge(into: here)
        #expect(await here.coordinator.resolveConflicts()?.conflicts == nil)
        let resolver = Recorder.joiningNames()
        here.coordinator.conflictResolver = resolver
        #expect(await here.coordinator.resolveConflicts(.number(4711))?.conflicts == nil)
        let resolution = try #require(await here.coordinator.resolveConflicts())
        #expect(resolution.hasSaved && resolution.conflicts == resolver.given.first)
        #expect(try scenario.anna(here, \.firstName) == "Here or There")
        let again = try #require(await here.coordinator.resolveConflicts())
        #expect(!again.hasSaved && again.error == nil)
        here.coordinator.conflictResolver = ClosureConflictResolver { _, _ in throw Refusal() }
        #expect(await here.coordinator.resolveConflicts()?.error is Refusal)
    }
}
