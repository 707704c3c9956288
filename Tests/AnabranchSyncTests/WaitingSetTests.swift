import AnabranchReplication
import AnabranchServer
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of change sets from bundles that wait in a store, and of the snapshot with which such a
/// store begins.
struct WaitingSetTests {
    private let scenario: EngineScenario
    private var names: SmallModel { scenario.names }

    init() throws {
        scenario = try EngineScenario()
    }

    /// Returns the heads of `store`, as the base of a bundle.
    private func heads(of store: Store) throws -> BundleBase {
        .heads(
            try store.read { try $0.versionVector() }.heads.map {
                BundleBase.Head(dot: $0, originPrefix: nil)
            })
    }

    private func expectNothingWaits(_ store: Store) throws {
        #expect(try store.read { try $0.waitingCount() } == 0)
        #expect(try store.pendingSaves().count == 0)
    }

    /// Returns a store with ten people that a zone has. The zone sends only a snapshot.
    private func founder() async throws -> Store {
        let a = try scenario.open("a.db")
        for person in 0..<10 { try a.insert("person \(person)", names) }
        try await scenario.sync(a)
        return a
    }

    @Test func `a change set that waits for sets in a snapshot is applied to it`() async throws {
        let a = try await founder()
        // This store never syncs with the zone.
        let traveller = try scenario.open("t.db")
        _ = try traveller.take(try scenario.bundle(a))
        let known = try heads(of: traveller)
        try traveller.setAge(33, of: "person 3", names)
        try traveller.insert("met on the way", names)
        let b = try scenario.open("b.db")
        #expect(try b.take(try scenario.bundle(traveller, lacking: known)).waitingCount == 2)
        _ = try scenario.zone.compact(keeping: 0)
        try await scenario.sync(b)
        #expect(try b.row("person 3", names)?.slots[names.age] == .integer(33))
        try expectNothingWaits(b)
        try await scenario.sync(a, b)
        try scenario.expectConverged([a, b])
        #expect(try a.people(names).count == 11)
    }

    @Test func `a change set that waits is dropped if the snapshot contains it`() async throws {
        let a = try await founder()
        let b = try scenario.open("b.db")
        let early = BundleBase.heads([
            .init(dot: Dot(replica: try a.replica, sequence: 4), originPrefix: nil)
        ])
        #expect(try b.take(try scenario.bundle(a, lacking: early)).waitingCount == 6)
        _ = try scenario.zone.compact(keeping: 0)
        try await scenario.sync(b)
        try expectNothingWaits(b)
        try scenario.expectConverged([a, b])
    }

    @Test func `a bundle of change sets in a snapshot adds nothing`() async throws {
        let a = try await founder()
        let b = try scenario.open("b.db")
        _ = try scenario.zone.compact(keeping: 0)
        try await scenario.sync(b)
        try a.insert("new", names)
        let outcome = try b.take(try scenario.bundle(a))
        #expect(outcome.heldCount == 10 && outcome.appliedCount == 1)
        #expect(outcome.waitingCount == 0)
        try await scenario.sync(b, a)
        try expectNothingWaits(b)
        try scenario.expectConverged([a, b])
    }

    @Test func `another branch under a name of the snapshot waits until the zone has answered`()
        async throws
    {
        let a = try await founder()
        let twin = try scenario.open("twin.db", firstReplica: try a.replica)
        try twin.insert("of the twin", names)
        let first = try heads(of: twin)
        try twin.insert("of the twin too", names)
        let b = try scenario.open("b.db")
        #expect(try b.take(try scenario.bundle(twin, lacking: first)).waitingCount == 1)
        _ = try scenario.zone.compact(keeping: 0)
        try await scenario.sync(b)
        #expect(try b.read { try $0.waitingCount() } == 1)
        #expect(try b.people(names).count == 10)
        try await scenario.sync(twin, b, a, twin)
        try expectNothingWaits(b)
        try scenario.expectConverged([a, b, twin])
        #expect(try b.people(names).count == 12)
    }
}
