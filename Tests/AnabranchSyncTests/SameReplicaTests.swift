import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of two installations that got one replica ID without being copies of each other. The
/// origins of their change sets distinguish them, from the first on.
struct SameReplicaTests {
    private static let replica = ReplicaID(high: 0xAB, low: 0xCD)

    @Test(arguments: [1, 3], [1, 3])
    func `both keep all that they saved, from their first save on`(
        first: Int, second: Int
    ) async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let a = try scenario.open("a.db", firstReplica: Self.replica)
        let b = try scenario.open("b.db", firstReplica: Self.replica)
        #expect(try a.replica == Self.replica && b.replica == Self.replica)
        for number in 0..<first { try a.insert("a\(number)", age: 1, names) }
        for number in 0..<second { try b.insert("b\(number)", age: 2, names) }
        // Each store has another person as record 1.
        #expect(try a.row("a0", names)?.id == b.row("b0", names)?.id)
        for store in [a, b, a] {
            #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        }
        try scenario.expectConverged([a, b])
        let expected = (0..<first).map { "a\($0)" } + (0..<second).map { "b\($0)" }
        for store in [a, b] {
            #expect(try store.names(names) == expected.map { "\(PropertyValue.string($0))" })
        }
        let log = try scenario.log()
        #expect(log.filter { $0.dot.replica == Self.replica }.count == first)
        let branch = ReplicaID(
            ofForkAt: Dot(replica: Self.replica, sequence: 1), origin: log[first].origin)
        #expect(log.filter { $0.dot.replica == branch }.count == second)
        // From here on they are two replicas.
        try a.insert("later a", names)
        try b.insert("later b", names)
        #expect(try b.replica != Self.replica)
        for store in [b, a, b] {
            #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        }
        try scenario.expectConverged([a, b])
        #expect(try a.people(names).count == expected.count + 2)
    }

    @Test func `a reinstalled app under the ID that it had before loses nothing`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let old = try scenario.open("a.db", firstReplica: Self.replica)
        for number in 0..<3 { try old.insert("old \(number)", names) }
        try await scenario.engine(old).synchronize()
        old.close()
        let new = try scenario.open("b.db", firstReplica: Self.replica)
        // It pulls before it saves, and so learns that another file has the ID.
        #expect(try await scenario.engine(new).synchronize().isCaughtUp)
        try new.insert("new", names)
        #expect(try new.replica != Self.replica)
        #expect(try await scenario.engine(new).synchronize().isCaughtUp)
        try scenario.expectConverged([new])
        #expect(try new.people(names).count == 4)
    }
}
