import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of deletions on one store concurrent with changes on another.
struct DeletionSyncTests {
    private let scenario: EngineScenario
    private var names: SmallModel { scenario.names }

    init() throws { scenario = try EngineScenario() }

    /// Returns two stores that both have a person.
    private func pair(_ person: String) async throws -> [Store] {
        let stores = try ["a.db", "b.db"].map { try scenario.open($0) }
        try stores[0].insert(person, age: 1, names)
        try await sync(stores)
        return stores
    }

    private func sync(_ stores: [Store]) async throws {
        for store in stores { try await scenario.engine(store).synchronize() }
    }

    @Test(arguments: [[0, 1, 0], [1, 0, 1]])
    func `a record that two replicas deleted is deleted everywhere`(order: [Int]) async throws {
        let stores = try await pair("Ada")
        for store in stores { try store.delete("Ada", names) }
        try await sync(order.map { stores[$0] })
        for store in stores { #expect(try store.people(names).isEmpty) }
        try scenario.expectConverged(stores)
    }

    @Test(arguments: [[0, 1, 0], [1, 0, 1]])
    func `a record recreated under a key survives the deletion of the old one`(
        order: [Int]
    ) async throws {
        let stores = try await pair("DE")
        try stores[0].delete("DE", names)
        try stores[1].delete("DE", names)
        try stores[1].insert("DE", age: 2, names)
        try await sync(order.map { stores[$0] })
        for store in stores {
            #expect(try store.people(names).map { $0.slots[names.age] } == [.integer(2)])
        }
        try scenario.expectConverged(stores)
    }

    @Test func `a record inserted under a key stays when another one of that key is deleted`()
        async throws
    {
        let stores = try ["a.db", "b.db"].map { try scenario.open($0) }
        try stores[0].insert("DE", age: 1, names)
        try await sync([stores[0]])
        // Neither store has seen the other's change.
        try stores[1].insert("DE", age: 2, names)
        try stores[0].delete("DE", names)
        try await sync([stores[0], stores[1], stores[0]])
        for store in stores {
            #expect(try store.people(names).map { $0.slots[names.age] } == [.integer(2)])
        }
        try scenario.expectConverged(stores)
    }

    @Test func `a missing file deletes nothing, and a new one fetches everything`()
        async throws
    {
        let stores = try await pair("Ada")
        stores[0].close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: scenario.folder.file("a.db") + suffix)
        }
        let empty = try scenario.open("a.db")
        try empty.insert("Bob", names)
        try await sync([empty, stores[1]])
        for store in [empty, stores[1]] { #expect(try store.people(names).count == 2) }
        try scenario.expectConverged([empty, stores[1]])
    }

    @Test func `an access that ends takes no record away, here or elsewhere`() async throws {
        let stores = try await pair("Ada")
        try stores[0].setAge(7, of: "Ada", names)
        let transport = scenario.transport()
        for endpoint in SyncEndpoint.allCases {
            transport.refuse(endpoint, with: .init(.unauthorized, "The token was revoked."))
        }
        let error = await #expect(throws: SyncError.self) {
            try await scenario.engine(stores[0], transport).synchronize()
        }
        #expect(error?.code == .unauthorized)
        #expect(try stores[0].row("Ada", names)?.slots[names.age] == .integer(7))
        #expect(try stores[0].pendingSaves().count == 1)
        try await sync([stores[1]])
        #expect(try stores[1].people(names).count == 1)
        // There is a new token, and the saves made meanwhile are pushed.
        try await sync([stores[0], stores[1]])
        #expect(try stores[1].row("Ada", names)?.slots[names.age] == .integer(7))
    }
}
