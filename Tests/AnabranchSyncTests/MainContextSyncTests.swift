import Anabranch
import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of step 4 of a sync: the main context refreshes its registered objects by ID.
@MainActor
struct MainContextSyncTests {
    private let scenario: EngineScenario

    init() throws { scenario = try EngineScenario() }

    /// - Parameter isUnnoticedCopy: Whether nothing distinguishes the file from its original.
    private func container(
        _ name: String, isUnnoticedCopy: Bool = false
    ) throws -> PersistentContainer {
        var description = PersistentStoreDescription(
            url: URL(fileURLWithPath: scenario.folder.file(name)))
        if isUnnoticedCopy { description.environment.fileIdentity = { _ in [] } }
        let container = PersistentContainer(
            model: scenario.names.model, storeDescription: description)
        try container.load()
        return container
    }

    private func insert(_ names: [String], into context: ManagedObjectContext) throws {
        for name in names {
            let person = try context.insert("Person")
            try person.setValue(name, forKey: "name")
            try person.setValue(1, forKey: "age")
        }
        try context.save()
    }

    private func people(
        _ context: ManagedObjectContext
    ) throws -> [String: ManagedObject] {
        let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        return try Dictionary(
            people.map { (try $0.value(forKey: "name", as: String.self), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test func `an unsaved edit and a remote change to another attribute are both kept`()
        async throws
    {
        let (here, there) = (try container("a.db"), try container("b.db"))
        let (engine, remote) = (try scenario.engine(here), try scenario.engine(there))
        try insert(["Ada", "Bob"], into: here.viewContext)
        try await engine.synchronize()
        try await remote.synchronize()
        let ada = try #require(try people(here.viewContext)["Ada"])
        try ada.setValue("Augusta Ada", forKey: "name")
        let theirs = try #require(try people(there.viewContext)["Ada"])
        try theirs.setValue(36, forKey: "age")
        try there.viewContext.save()
        try await remote.synchronize()
        try await engine.synchronize()
        #expect(try ada.value(forKey: "name", as: String.self) == "Augusta Ada")
        #expect(try ada.value(forKey: "age", as: Int.self) == 36)
        #expect(here.viewContext.hasChanges)
        try here.viewContext.save()
        try await engine.synchronize()
        try await remote.synchronize()
        #expect(try theirs.value(forKey: "name", as: String.self) == "Augusta Ada")
    }

    @Test func `a remote deletion is in the deleted IDs of the merge notification`()
        async throws
    {
        let (here, there) = (try container("a.db"), try container("b.db"))
        let (engine, remote) = (try scenario.engine(here), try scenario.engine(there))
        try insert(["Ada", "Bob"], into: here.viewContext)
        try await engine.synchronize()
        try await remote.synchronize()
        let bob = try #require(try people(here.viewContext)["Bob"])
        let id = bob.objectID
        let merged = MergedChanges(of: here.viewContext)
        let theirs = try #require(try people(there.viewContext)["Bob"])
        there.viewContext.delete(theirs)
        try insert(["Cleo"], into: there.viewContext)
        try await remote.synchronize()
        try await engine.synchronize()
        let changes = merged.all
        #expect(changes.contains { $0.deleted.contains(id) })
        #expect(changes.allSatisfy { $0.author == "sync" })
        #expect(changes.reduce(0) { $0 + $1.inserted.count } == 1)
        #expect(here.viewContext.registeredObject(for: id) == nil)
        #expect(try people(here.viewContext).keys.sorted() == ["Ada", "Cleo"])
    }

    /// Two stores apply the same page; only one has registered objects.
    @Test func `the refresh is one SELECT that reads the registered objects`() async throws {
        let author = try container("a.db")
        let names = (0..<50).map { "person \($0)" }
        try insert(names, into: author.viewContext)
        let engineOfAuthor = try scenario.engine(author)
        try await engineOfAuthor.synchronize()
        let readers = [try container("b.db"), try container("c.db")]
        let engines = try readers.map { try scenario.engine($0) }
        for engine in engines { try await engine.synchronize() }
        let held = try people(readers[0].viewContext).values.sorted {
            $0.objectID.localID < $1.objectID.localID
        }.prefix(20)
        readers[0].viewContext.processPendingChanges()
        for person in try people(author.viewContext).values {
            try person.setValue(2, forKey: "age")
        }
        try author.viewContext.save()
        try await engineOfAuthor.synchronize()
        var used: [(selects: Int, rows: Int)] = []
        for (reader, engine) in zip(readers, engines) {
            let before = reader.coordinator.store.readStatistics
            try await engine.synchronize()
            let after = reader.coordinator.store.readStatistics
            used.append((after.selects - before.selects, after.rows - before.rows))
        }
        let registered = readers[0].viewContext.registeredObjects.count
        #expect(registered >= held.count)
        #expect(used[0].selects - used[1].selects == 1)
        #expect(used[0].rows - used[1].rows == registered)
        for person in held { #expect(try person.value(forKey: "age", as: Int.self) == 2) }
    }

    /// Two undistinguishable files have both saved. The second one to sync renames its saves.
    @Test func `objects of a forked history get new IDs and keep their unsaved edits`()
        async throws
    {
        let here = try container("a.db", isUnnoticedCopy: true)
        try insert(["Ada"], into: here.viewContext)
        try await scenario.engine(here).synchronize()
        try scenario.copy("a.db", to: "b.db")
        let there = try container("b.db", isUnnoticedCopy: true)
        try insert(["Bob"], into: here.viewContext)
        try await scenario.engine(here).synchronize()
        try insert(["Cyd"], into: there.viewContext)
        let cyd = try #require(try people(there.viewContext)["Cyd"])
        let before = cyd.objectID
        try cyd.setValue(42, forKey: "age")
        let merged = MergedChanges(of: there.viewContext)
        let remote = try scenario.engine(there)
        #expect(try await remote.synchronize().isCaughtUp)
        #expect(cyd.objectID != before)
        #expect(merged.all.first?.renamed == [before: cyd.objectID])
        #expect(try cyd.value(forKey: "name", as: String.self) == "Cyd")
        #expect(try cyd.value(forKey: "age", as: Int.self) == 42 && there.viewContext.hasChanges)
        #expect(throws: (any Error).self) { try there.viewContext.existingObject(with: before) }
        #expect(try people(there.viewContext)["Cyd"] === cyd)
        try there.viewContext.save()
        try await remote.synchronize()
        try await scenario.engine(here).synchronize()
        #expect(try people(here.viewContext)["Cyd"]?.value(forKey: "age", as: Int.self) == 42)
        #expect(try people(here.viewContext).count == 3)
        try scenario.expectConverged([here.coordinator.store, there.coordinator.store])
    }

    @Test func `a save triggers the live loop at once`() async throws {
        let (here, there) = (try container("a.db"), try container("b.db"))
        let engines = [
            try scenario.engine(here) { $0.saveInterval = .seconds(3_600) },
            try scenario.engine(there),
        ]
        for engine in engines { engine.start() }
        try await SyncEngineTests.wait { engines[0].status.lastExchange != nil }
        try insert(["Ada"], into: here.viewContext)
        try await SyncEngineTests.wait { try people(there.viewContext)["Ada"] != nil }
        for engine in engines { await engine.stop() }
    }

    @Test func `an engine needs an address until the first sync has kept one`() async throws {
        let here = try container("a.db")
        let error = #expect(throws: SyncError.self) {
            try SyncEngine(container: here, token: nil)
        }
        #expect(error?.code == .noServer)
        try await scenario.engine(here).synchronize()
        let again = try SyncEngine(container: here, token: nil)
        #expect(again.status.zone == "family")
        #expect(try SyncStatus(of: here.coordinator).server == "https://sync.example")
    }
}

/// Collects the content of a context's merge notifications.
private final class MergedChanges: Sendable {
    private let changes = Mutex<[ObjectIDChanges]>([])

    @MainActor
    init(of context: ManagedObjectContext) {
        _ = NotificationCenter.default.addObserver(
            forName: ManagedObjectContext.didMergeChangesObjectIDs, object: context, queue: nil
        ) { [weak self] notification in
            guard let changes = notification.objectIDChanges else { return }
            self?.changes.withLock { $0.append(changes) }
        }
    }

    var all: [ObjectIDChanges] { changes.withLock { $0 } }
}
