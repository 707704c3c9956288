import Anabranch
import AnabranchReplication
import AnabranchStore
import AnabranchSync
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct `Real processes that are killed` {
    /// The number of kills in one run: 60, or the value of `ANABRANCH_KILLS`.
    static let killCount =
        ProcessInfo.processInfo.environment["ANABRANCH_KILLS"].flatMap { Int($0) } ?? 60

    static let seed =
        ProcessInfo.processInfo.environment["ANABRANCH_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 * 1000)

    @Test(.long)
    func `every acknowledged save survives and all converge`() async throws {
        print("kills: \(Self.killCount), seed: \(Self.seed)")
        let folder = try TemporaryDirectory("kills")
        let daemon = try DaemonUnderTest(in: folder)
        var generator = SeededGenerator(seed: Self.seed)
        var clients = try (0..<3).map {
            try ClientUnderTest($0, of: daemon, in: folder, seed: generator.next())
        }
        var acknowledged: Set<Digest> = []
        for _ in 0..<Self.killCount {
            usleep(UInt32.random(in: 5_000...160_000, using: &generator))
            if generator.oneIn(2) {
                daemon.kill()
                usleep(UInt32.random(in: 0...30_000, using: &generator))
                try daemon.start()
            } else {
                let victim = Int.random(in: 0..<clients.count, using: &generator)
                clients[victim].kill()
                acknowledged.formUnion(try clients[victim].acknowledgedOrigins())
                try clients[victim].start(seed: generator.next())
            }
        }
        for client in clients { client.kill() }
        for client in clients { acknowledged.formUnion(try client.acknowledgedOrigins()) }
        #expect(!acknowledged.isEmpty)
        clients.append(try ClientUnderTest(unborn: clients.count, of: daemon, in: folder))
        try await settle(clients)
        try expectNothingLost(acknowledged, clients, daemon: daemon)
    }

    /// Syncs all clients twice, so that each receives what another pushed last.
    private func settle(_ clients: [ClientUnderTest]) async throws {
        for _ in 0..<2 {
            for client in clients {
                let outcome = try await client.synchronize()
                #expect(outcome.isCaughtUp, "\(client.path): \(outcome)")
            }
        }
    }

    private func expectNothingLost(
        _ acknowledged: Set<Digest>, _ clients: [ClientUnderTest], daemon: DaemonUnderTest
    ) throws {
        let states = try clients.map { try $0.state() }
        let witness = try #require(states.last)
        #expect(Set(states.map(\.hash)).count == 1)
        #expect(Set(states.map(\.vector)).count == 1)
        // A client that begins with a snapshot has no log of what is before it.
        let logged = states.reduce(into: Set()) { $0.formUnion($1.origins) }
        #expect(acknowledged.isSubset(of: logged))
        #expect(states.allSatisfy { $0.halfPairs == 0 })
        #expect(daemon.stop() == 0)
        #expect(try daemon.hash().contains("\(witness.hash)"))
        print("\(logged.count) saves, \(acknowledged.count) seen acknowledged at a kill")
    }
}
