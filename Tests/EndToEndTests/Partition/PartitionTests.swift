import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of five clients and daemons, with links that are cut and healed and processes that are
/// killed.
///
/// `ANABRANCH_PARTITION_DAEMONS` and `ANABRANCH_PARTITION_STORE=postgres` choose what is tested.
@Suite(.waiting) struct `Real processes in a partitioned network` {
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

    static let daemonCount =
        environment["ANABRANCH_PARTITION_DAEMONS"].flatMap { Int($0) } ?? 1

    /// True if the daemons share a PostgreSQL database, which is then killed too.
    static let usesDatabase = environment["ANABRANCH_PARTITION_STORE"] == "postgres"

    static let seed =
        environment["ANABRANCH_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 * 1000)

    @Test func `nothing is lost, no client is stuck, and all converge`() throws {
        let world = try PartitionedWorld(
            seed: Self.seed, daemons: Self.daemonCount,
            cluster: Self.usesDatabase ? PostgreSQLCluster() : nil)
        defer { world.end() }
        let end = Date(timeIntervalSinceNow: Self.seconds)
        while Date() < end { try world.disturb() }
        try world.heal()
        let group = ClientGroup(clients: world.clients, daemons: world.daemons)
        try group.expectCaughtUp(within: 120)
        let counts = try group.expectNothingLost()
        print(
            "partition: seed \(Self.seed), \(Int(Self.seconds)) s, \(world.statistics), "
                + "\(counts)")
    }
}

/// The clients, links and processes that the test disturbs, by one seed.
final class PartitionedWorld {
    let daemons: [DaemonUnderTest]
    let clients: [PartitionedClient]
    private let cluster: PostgreSQLCluster?
    private let folder: TemporaryDirectory
    private var generator: SeededGenerator
    private(set) var statistics = Statistics()

    struct Statistics: CustomStringConvertible {
        var cuts = 0
        var heals = 0
        var breaks = 0
        var clientKills = 0
        var daemonKills = 0
        var databaseKills = 0

        var description: String {
            "\(cuts) cuts, \(heals) heals, \(breaks) broken connections, "
                + "\(clientKills) clients, \(daemonKills) daemons and "
                + "\(databaseKills) databases killed"
        }
    }

    init(seed: UInt64, daemons count: Int, cluster: PostgreSQLCluster?) throws {
        print("partition: seed \(seed)")
        let folder = try TemporaryDirectory("partition")
        let store = try cluster?.makeDatabase()
        let daemons = try (0..<count).map {
            try DaemonUnderTest(in: folder, store: store, number: $0)
        }
        var generator = SeededGenerator(seed: seed)
        clients = try (0..<5).map {
            try PartitionedClient(
                $0, of: daemons[$0 % count], in: folder, seed: generator.next())
        }
        self.cluster = cluster
        self.folder = folder
        self.daemons = daemons
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
            if let cluster, Bool.random(using: &generator) { return try disturb(cluster) }
            statistics.daemonKills += 1
            let daemon = generator.element(of: daemons)
            daemon.kill()
            usleep(UInt32.random(in: 0...300_000, using: &generator))
            try daemon.start()
        }
    }

    private func disturb(_ cluster: PostgreSQLCluster) throws {
        statistics.databaseKills += 1
        if Bool.random(using: &generator) { cluster.kill() } else { cluster.stopImmediately() }
        usleep(UInt32.random(in: 0...1_000_000, using: &generator))
        try cluster.start()
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

    func end() {
        for client in clients {
            client.kill()
            client.link.close()
        }
        for daemon in daemons { daemon.kill() }
        cluster?.stop()
    }
}
