import AnabranchReplication
import AnabranchServer
import AnabranchSync
import TestSupport

/// One run: replicas, a zone and a bad network, everything from one seed.
///
/// Random saves, syncs step by step among each other, clocks that are wrong, crashes at commits on
/// both sides, copies and restored backups of files; then the network heals, all sync, and the
/// oracles look.
final class Simulation {
    let world: SimulatedWorld
    private let names: SimulationModel
    private let folder: TemporaryDirectory
    private let zone: SimulatedZone
    private var network: FaultyNetwork
    private var replicas: [SimulatedReplica] = []
    /// Saves that were told to an app and have not been destroyed with their only file.
    private var forgotten: Set<Digest> = []
    private var backups: [(replica: Int, path: String)] = []
    private(set) var statistics = RunStatistics()
    private var zoneMoves = 0

    private static let stepCount = 160
    private static let mostReplicas = 5

    init(seed: UInt64, disabled: Set<Mechanism> = []) throws {
        world = SimulatedWorld(seed: seed, disabled: disabled)
        names = try SimulationModel()
        folder = try TemporaryDirectory("simulation")
        zone = try SimulatedZone(world, path: folder.file("zone.db"))
        let period = [0, 4, 8, 16, 32][world.number(0..<5)]
        network = FaultyNetwork(
            seed: world.draw(), faults: period == 0 ? .none : .all(oneIn: period))
        for _ in 0..<world.number(2..<4) { try addReplica() }
    }

    func run() throws {
        defer {
            for replica in replicas { statistics.add(replica.closeForGood()) }
            zone.close()
            statistics.add(zone.statistics)
        }
        for _ in 0..<Self.stepCount { try step() }
        try quiesce()
        try Oracles(zone: zone, replicas: replicas, forgotten: forgotten).check()
    }

    private func addReplica() throws {
        let path = folder.file("replica-\(replicas.count).db")
        replicas.append(try SimulatedReplica(world, names, path: path))
    }

    private func step() throws {
        world.pass(Int64(world.number(0..<400)))
        let index = world.number(0..<replicas.count)
        let replica = replicas[index]
        switch world.number(0..<200) {
        case 0..<60:
            statistics.note(.save)
            try replica.save()
        case 60..<176: try advance(replica)
        case 176..<182: replica.arm(world.oneIn(2) ? .beforeCommit : .afterCommit)
        case 182..<184: try reopen(replica)
        case 184..<188: try copy(index)
        case 188..<192: try backUpOrRestore(index)
        default: try disturbSurroundings(of: replica)
        }
        try replica.check()
    }

    private func disturbSurroundings(of replica: SimulatedReplica) throws {
        switch world.number(0..<8) {
        case 0..<4: zone.crash.arm(world.oneIn(2) ? .beforeCommit : .afterCommit)
        case 4:
            statistics.note(.zoneRestart)
            try zone.restart()
        case 5:
            zoneMoves += 1
            try zone.move(to: folder.file("zone-\(zoneMoves).db"))
        default:
            statistics.note(.clockJump)
            replica.jumpClock()
        }
    }

    private func reopen(_ replica: SimulatedReplica) throws {
        statistics.note(.reopening)
        try replica.reopen()
    }

    private func advance(_ replica: SimulatedReplica) throws {
        try replica.advance { network.send($0, $1, to: zone.answer) }
    }

    private func copy(_ index: Int) throws {
        guard replicas.count < Self.mostReplicas else { return }
        statistics.note(.copy)
        try replicas[index].copyFile(to: folder.file("replica-\(replicas.count).db"))
        try addReplica()
    }

    private func backUpOrRestore(_ index: Int) throws {
        guard let backup = backups.first(where: { $0.replica == index }) else {
            let path = folder.file("backup-\(index).db")
            backups.append((index, path))
            statistics.note(.backup)
            return try replicas[index].copyFile(to: path)
        }
        statistics.note(.restore)
        forgotten.formUnion(try replicas[index].restore(backup.path))
        backups.removeAll { $0.replica == index }
    }

    /// The network heals, and all sync until nothing is left to say.
    private func quiesce() throws {
        network.faults = .none
        zone.crash.arm(nil)
        for _ in 0..<8 {
            for replica in replicas {
                statistics.note(.exchange)
                try replica.exchange { network.send($0, $1, to: zone.answer) }
                try replica.check()
            }
            let head = try zone.service.head().position
            let isQuiet = replicas.allSatisfy { replica in
                replica.lastOutcome.map { $0.isCaughtUp && $0.position == head } ?? false
            }
            if isQuiet { return }
        }
        throw SimulationFailure(
            "the replicas do not come to rest: "
                + replicas.map { "\($0.lastOutcome.map { "\($0)" } ?? "nothing")" }
                .joined(separator: "; "))
    }
}
