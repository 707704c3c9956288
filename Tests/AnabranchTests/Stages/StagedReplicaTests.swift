import Anabranch
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of replicas that migrate independently of each other.
@Suite struct `Replicas that run the same stages` {
    let app: StagedApp
    let zone = Zone()

    init() throws { app = try StagedApp() }

    private func exchange(_ containers: [PersistentContainer]) throws {
        for container in containers + containers { try zone.exchange(container.coordinator) }
    }

    /// Two stores of version 1 that hold the same two people.
    private func fill() throws {
        try app.fill("a")
        let stores = try ["a", "b"].map { try app.open($0, version: 1, nil) }
        try exchange(stores)
        for store in stores { store.coordinator.close() }
    }

    @Test func `agree without an entry in the conflict journal`() throws {
        try fill()
        let stores = try ["a", "b"].map { try app.open($0) }
        try exchange(stores)
        for store in stores {
            #expect(try StagedApp.people(store) == StagedApp.expectedPeople())
            #expect(try store.coordinator.conflictCount() == 0)
            #expect(try store.coordinator.checkFile().isValid)
        }
        let hashes = try stores.map { try $0.coordinator.canonicalHash() }
        #expect(hashes[0] == hashes[1])
    }

    @Test func `record a conflict if their stages write different values`() throws {
        try fill()
        let stores = try ["a", "b"].map { name in
            try app.open(
                name, version: 4,
                StagedApp.stages { context, _ in
                    for person in try context.fetch(
                        FetchRequest<ManagedObject>(entityName: "Person"))
                    {
                        try person.setValue(name, forKey: "nickname")
                    }
                })
        }
        try exchange(stores)
        #expect(try stores.map { try $0.coordinator.conflictCount() }.reduce(0, +) > 0)
    }

    @Test func `agree with a replica that is migrated later, and keep its edits`() throws {
        try fill()
        let new = try app.open("a")
        let old = try app.open("b", version: 1, nil)
        try old.newBackgroundContext().performAndWait { context in
            let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            for person in people { try person.setValue(44, forKey: "age") }
            try context.save()
        }
        try exchange([new, old])
        old.coordinator.close()
        let migrated = try app.open("b")
        try exchange([new, migrated])
        for store in [new, migrated] {
            #expect(try StagedApp.people(store).allSatisfy { $0.contains("44") })
            #expect(try store.coordinator.conflictCount() == 0)
        }
        #expect(
            try new.coordinator.canonicalHash() == migrated.coordinator.canonicalHash())
    }
}
