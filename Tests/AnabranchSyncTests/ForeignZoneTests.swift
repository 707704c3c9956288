import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Apps of two models that sync with one zone.
struct ForeignZoneTests {
    private static func otherModel(withPeople: Bool = false) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Account") { AttributeDeclaration("balance", .integer64) }
            if withPeople {
                EntityDeclaration("Person") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("age", .integer64)
                }
            }
        }
    }

    /// A zone with two records of `Person`.
    private static func scenario() async throws -> EngineScenario {
        let scenario = try EngineScenario()
        let store = try scenario.open("people.db")
        for name in ["Ada", "Bob"] { try store.insert(name, scenario.names) }
        try await scenario.engine(store).synchronize()
        return scenario
    }

    private static func insertAccount(into store: Store, _ model: ManagedObjectModel) throws {
        let entity = try #require(model.entity(named: "Account"))
        let slots = entity.slots.map { _ in PropertyValue.integer(5) }
        var request = SaveRequest(author: "app")
        request.inserts = [
            .init(entity: entity, rows: [(try store.reserveNumbers(1).lowerBound, slots)])
        ]
        _ = try store.save(request)
    }

    @Test func `a store in the zone of another app says so, also after it is opened again`()
        async throws
    {
        let scenario = try await Self.scenario()
        let model = try Self.otherModel()
        let store = try scenario.open("other.db", model: model)
        let engine = try scenario.engine(store)
        #expect(engine.status.foreignZone == nil)
        #expect(try await engine.synchronize().isCaughtUp)
        let foreign = try #require(engine.status.foreignZone)
        #expect(foreign.zoneEntities == ["Person"] && foreign.modelEntities == ["Account"])
        #expect(foreign.message.contains("Person") && foreign.message.contains("Account"))
        // Its own records show nothing about the zone.
        try Self.insertAccount(into: store, model)
        try await engine.synchronize()
        #expect(engine.status.foreignZone == foreign)
        store.close()
        let again = try scenario.open("other.db", model: model)
        #expect(try SyncStatus(of: again).foreignZone == foreign)
    }

    @Test func `a zone with one record of the model is not foreign, nor is an empty one`()
        async throws
    {
        let scenario = try await Self.scenario()
        let both = try scenario.open("both.db", model: Self.otherModel(withPeople: true))
        let engine = try scenario.engine(both) { $0.refusesForeignZone = true }
        try await engine.synchronize()
        #expect(engine.status.foreignZone == nil)

        let empty = try EngineScenario()
        let model = try Self.otherModel()
        let first = try empty.open("a.db", model: model)
        try Self.insertAccount(into: first, model)
        let alone = try empty.engine(first) { $0.refusesForeignZone = true }
        #expect(try await alone.synchronize().pushedChangeSets == 1)
        #expect(alone.status.foreignZone == nil)
    }

    @Test(arguments: [false, true])
    func `an engine that refuses the zone of another app sends it nothing`(
        _ hasRecords: Bool
    ) async throws {
        let scenario = try await Self.scenario()
        let model = try Self.otherModel()
        let store = try scenario.open("other.db", model: model)
        if hasRecords { try Self.insertAccount(into: store, model) }
        let position = try scenario.zone.head().position
        let transport = scenario.transport()
        let engine = try scenario.engine(store, transport) { $0.refusesForeignZone = true }
        for _ in 0..<2 {
            let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
            #expect(error?.code == .foreignZone)
            #expect(error?.details["zoneEntities"] == "Person")
        }
        #expect(try scenario.zone.head().position == position)
        #expect(!transport.requests.contains { $0.endpoint == .push })
        #expect(engine.status.lastError?.code == .foreignZone && !engine.status.isCaughtUp)
    }
}
