import Anabranch
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of conflicts that are reported to an app, and resolved, while its engine syncs.
struct ConflictSyncTests {
    private let scenario: EngineScenario
    private let here: PersistentContainer
    private let there: PersistentContainer

    init() async throws {
        scenario = try EngineScenario()
        here = try Self.container("a.db", scenario)
        there = try Self.container("b.db", scenario)
        try here.newBackgroundContext().performAndWait { context in
            try context.insert("Person").setValue("Ada", forKey: "name")
            try context.save()
        }
        for container in [here, there] { try await scenario.engine(container).synchronize() }
    }

    private static func container(
        _ name: String, _ scenario: EngineScenario
    ) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: scenario.names.model,
            url: URL(fileURLWithPath: scenario.folder.file(name)))
        try container.load()
        return container
    }

    private func setAge(_ age: Int, in container: PersistentContainer) throws {
        // The system's clock decides which write is later, and it may be set back a little.
        Thread.sleep(forTimeInterval: 0.1)
        try container.newBackgroundContext().performAndWait { context in
            let person = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first)
            try person.setValue(age, forKey: "age")
            try context.save()
        }
    }

    private func age(in container: PersistentContainer) throws -> Int {
        try container.newBackgroundContext().performAndWait { context in
            try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first)
                .value(forKey: "age")
        }
    }

    @Test func `an exchange ends when the resolver is done, and the next sends what it saved`()
        async throws
    {
        here.conflictResolver = ClosureConflictResolver { conflicts, context in
            Thread.sleep(forTimeInterval: 0.05)
            for conflict in conflicts { try context.restore(conflict) }
        }
        try setAge(1, in: here)
        try setAge(2, in: there)
        try await scenario.engine(there).synchronize()
        let engine = try scenario.engine(here)
        try await engine.synchronize()
        #expect(here.coordinator.lastConflictResolution?.hasSaved == true)
        #expect(try age(in: here) == 1)
        try await engine.synchronize()
        try await scenario.engine(there).synchronize()
        #expect(try age(in: there) == 1)
        #expect(
            try here.coordinator.canonicalHash()
                == scenario.zone.canonicalHash().hash.description)
        let authors = try there.coordinator.changeSets().map(\.changeSet.author)
        #expect(authors.filter { $0 == "resolver" }.count == 1)
    }

    @Test func `a page that changes no object is reported if a value in it lost`() async throws {
        try setAge(1, in: here)
        // The second save is the later one.
        try await Task.sleep(for: .milliseconds(2))
        try setAge(2, in: there)
        try await scenario.engine(here).synchronize()
        var told = there.coordinator.recordedConflicts().makeAsyncIterator()
        try await scenario.engine(there).synchronize()
        let conflicts = try #require(await told.next())
        #expect(conflicts.count == 1 && conflicts.objectIDs.count == 1)
        #expect(try there.coordinator.conflict(conflicts.ids[0])?.value == .integer(1))
        #expect(try age(in: there) == 2)
    }
}
