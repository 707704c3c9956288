import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of five clients and a daemon, with links that are cut and healed and processes that are
/// killed.
@Suite struct `Real processes in a partitioned network` {
    static let environment = ProcessInfo.processInfo.environment

    /// The duration of the disturbance in seconds. Afterwards all clients must converge.
    static let seconds: Double =
        if let minutes = environment["ANABRANCH_PARTITION_MINUTES"].flatMap(Double.init) {
            minutes * 60
        } else {
            switch TestLength.current {
            case .quick: 4
            case .usual: 20
            case .long: 120
            }
        }

    static let seed =
        environment["ANABRANCH_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 * 1000)

    @Test func `nothing is lost, no client is stuck, and all converge`() throws {
        let world = try PartitionedWorld(seed: Self.seed)
        defer { world.end() }
        let end = Date(timeIntervalSinceNow: Self.seconds)
        while Date() < end { try world.disturb() }
        try world.heal()
        let statuses = try world.waitUntilCaughtUp(within: 120)
        for (client, status) in zip(world.clients, statuses) {
            #expect(status.isCaughtUp, "\(status.text)\n\(client.lastWords)")
        }
        #expect(Set(statuses.map(\.position)).count == 1, "\(statuses.map(\.position))")
        for client in world.clients {
            #expect(client.isRunning, "\(client.lastWords)")
            client.kill()
        }
        try expectNothingLost(in: world)
    }

    private func expectNothingLost(in world: PartitionedWorld) throws {
        let states = try world.clients.map { try $0.client.state() }
        #expect(Set(states.map(\.hash)).count == 1)
        #expect(Set(states.map(\.vector)).count == 1)
        #expect(states.allSatisfy { $0.halfPairs == 0 })
        let saved = try world.clients.reduce(into: Set()) { $0.formUnion(try $1.savedOrigins()) }
        #expect(!saved.isEmpty)
        for (number, state) in states.enumerated() {
            let held = Set(state.origins.map(\.description))
            let missing = saved.subtracting(held)
            #expect(missing.isEmpty, "client \(number) lacks \(missing.count) saves")
        }
        #expect(world.daemon.stop() == 0)
        #expect(try world.daemon.hash().contains("\(states[0].hash)"))
        print(
            "partition: seed \(Self.seed), \(Int(Self.seconds)) s, \(world.statistics), "
                + "\(saved.count) saves told, \(states[0].origins.count) in the zone")
    }
}

/// The clients, links and processes that the test disturbs, by one seed.
final class PartitionedWorld {
    let daemon: DaemonUnderTest
    let clients: [PartitionedClient]
    private let folder: TemporaryDirectory
    private var generator: SeededGenerator
    private(set) var statistics = Statistics()

    struct Statistics: CustomStringConvertible {
        var cuts = 0
        var heals = 0
        var breaks = 0
        var clientKills = 0
        var daemonKills = 0

        var description: String {
            "\(cuts) cuts, \(heals) heals, \(breaks) broken connections, "
                + "\(clientKills) clients and \(daemonKills) daemons killed"
        }
    }

    init(seed: UInt64) throws {
        print("partition: seed \(seed)")
        let folder = try TemporaryDirectory("partition")
        let daemon = try DaemonUnderTest(in: folder)
        var generator = SeededGenerator(seed: seed)
        clients = try (0..<5).map {
            try PartitionedClient($0, of: daemon, in: folder, seed: generator.next())
        }
        self.folder = folder
        self.daemon = daemon
        self.generator = generator
    }

    /// Makes one disturbance, then waits.
    func disturb() throws {
        usleep(UInt32.random(in: 20_000...400_000, using: &generator))
        let client = generator.element(of: clients)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<8:
            statistics.cuts += 1
            client.link.set(condition())
        case 8..<14:
            statistics.heals += 1
            client.link.set(.whole)
        case 14..<16:
            statistics.breaks += 1
            client.link.breakConnections()
        case 16..<19:
            statistics.clientKills += 1
            client.kill()
            usleep(UInt32.random(in: 0...200_000, using: &generator))
            try client.start(seed: generator.next())
        default:
            statistics.daemonKills += 1
            daemon.kill()
            usleep(UInt32.random(in: 0...300_000, using: &generator))
            try daemon.start()
        }
    }

    private func condition() -> NetworkLink.Condition {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: .cut
        case 2: .upOnly
        case 3: .downOnly
        case 4: .refusing
        case 5: .slow(milliseconds: UInt32.random(in: 1...300, using: &generator))
        default: .breaking(afterBytes: Int.random(in: 0...3_000, using: &generator))
        }
    }

    /// Heals the links and stops all saves.
    func heal() throws {
        try Data().write(to: URL(filePath: folder.file("stop")))
        for client in clients { client.link.set(.whole) }
    }

    /// Reads each client's file until all have the zone's whole log.
    func waitUntilCaughtUp(within seconds: Double) throws -> [PartitionedClient.Status] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let statuses = try clients.map { try $0.status() }
            let isDone =
                statuses.allSatisfy(\.isCaughtUp) && Set(statuses.map(\.position)).count == 1
            if isDone || Date() > deadline { return statuses }
            usleep(300_000)
        }
    }

    func end() {
        for client in clients {
            client.kill()
            client.link.close()
        }
        daemon.kill()
    }
}
