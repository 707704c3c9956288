import Anabranch
import AnabranchModel
import AnabranchStore
import Foundation
import Synchronization
import Testing

/// Tests of the notification of what view rules hide since a merge.
@Suite struct `Objects that hide something since a merge` {
    private let scenario: ViewScenario

    init() throws { scenario = try ViewScenario.hiding() }

    /// Applies what both stores have saved, and returns what an observer of the first one gets.
    private func told() async throws -> [RecordedConflicts] {
        let coordinator = scenario.first.coordinator
        let log = Mutex<[RecordedConflicts]>([])
        let token = NotificationCenter.default.addObserver(
            forName: PersistentStoreCoordinator.didRecordConflicts, object: coordinator, queue: nil
        ) { notification in
            if let told = notification.recordedConflicts { log.withLock { $0.append(told) } }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let changes = try scenario.exchange()
        for changed in [changes[0], changes[2]] {
            await withCheckedContinuation { done in
                coordinator.didApply(changed) { done.resume() }
            }
        }
        return log.withLock { $0 }
    }

    private func hiding(_ told: [RecordedConflicts]) -> [ManagedObjectID] {
        told.flatMap { Array($0.hidingObjectIDs) }
    }

    @Test func `are reported once when two records become one`() async throws {
        for (container, note) in [(scenario.first, "a"), (scenario.second, "b")] {
            try scenario.save(container) { context in
                try context.make("Tag", "swift").setValue(note, forKey: "note")
            }
        }
        let told = try await told()
        let visible = try scenario.read(scenario.first) { try $0.named("swift", "Tag").objectID }
        #expect(hiding(told) == [visible])
        #expect(told.allSatisfy { $0.ids.isEmpty && $0.objectIDs.isEmpty })
        // A later edit hides nothing new.
        try scenario.save(scenario.second) { context in
            try context.named("swift", "Tag").setValue("c", forKey: "note")
        }
        #expect(try await hiding(self.told()).isEmpty)
    }

    @Test func `are not reported if the merged records are alike`() async throws {
        for container in [scenario.first, scenario.second] {
            try scenario.save(container) { try $0.make("Tag", "swift") }
        }
        #expect(try await told().isEmpty)
    }

    @Test func `are reported when a property keeps both values`() async throws {
        try scenario.save(scenario.first) { try $0.make("Tag", "swift") }
        _ = try await told()
        for (container, text) in [(scenario.first, "a"), (scenario.second, "b")] {
            try scenario.save(container) { context in
                try context.named("swift", "Tag").setValue(text, forKey: "text")
            }
        }
        let told = try await told()
        let id = try scenario.read(scenario.first) { try $0.named("swift", "Tag").objectID }
        #expect(hiding(told) == [id])
    }

    @Test func `are reported when a cycle is cut`() async throws {
        try scenario.save(scenario.first) { context in
            for name in ["a", "b"] { try context.make("Folder", name) }
        }
        _ = try await told()
        for (container, names) in [
            (scenario.first, ("a", "b")), (scenario.second, ("b", "a")),
        ] {
            try scenario.save(container) { context in
                try context.named(names.0, "Folder").setObject(
                    context.named(names.1, "Folder"), forKey: "parent")
            }
        }
        let told = try await told()
        let hidden = try scenario.read(scenario.first) { try $0.hiddenWrites() }
        #expect(hiding(told) == hidden.map(\.objectID))
        #expect(hidden.count == 1)
    }
}
