import AnabranchReplication
import AnabranchServer
import AnabranchSync
import TestSupport

/// One run: replicas, a zone and a bad network, everything from one scenario.
///
/// Random saves, syncs step by step among each other, clocks that are wrong, crashes at commits on
/// both sides, copies and restored backups of files; then the network heals, all sync, and the
/// oracles look.
final class Simulation {
    let world: SimulatedWorld
    private let scenario: Scenario
    private let names: SimulationModel
    private let zone: SimulatedZone
    private var network: FaultyNetwork
    private var replicas: [SimulatedReplica] = []
    /// Saves that were told to an app and have been destroyed with their only file.
    private var forgotten: Set<Digest> = []
    private var backups: [(replica: Int, path: String)] = []
    private(set) var statistics = RunStatistics()
    private var zoneMoves = 0

    private static let mostReplicas = 5

    init(_ scenario: Scenario, disabled: Set<Mechanism> = []) throws {
        self.scenario = scenario
        world = SimulatedWorld(scenario, disabled: disabled)
        names = try SimulationModel()
        zone = try SimulatedZone(world, path: "zone")
        let period = scenario.traits.faultPeriod
        network = FaultyNetwork(
            seed: world.draw(), faults: period == 0 ? .none : .all(oneIn: period))
        for _ in 0..<scenario.traits.replicaCount { try addReplica() }
    }

    func run() throws {
        defer {
            for replica in replicas { statistics.add(replica.closeForGood()) }
            zone.close()
            statistics.add(zone.statistics)
        }
        for step in scenario.steps { try take(step) }
        world.reseed(scenario.seed)
        try quiesce()
        try noteRewriting()
        try Oracles(zone: zone, replicas: replicas, forgotten: forgotten).check()
    }

    private func noteRewriting() throws {
        for set in try zone.log() {
            guard let first = set.rewrittenFrom else { continue }
            statistics.note(first.replica == set.dot.replica ? .restamp : .fork)
        }
    }

    private func addReplica() throws {
        replicas.append(
            try SimulatedReplica(world, names, path: "replica \(replicas.count + 1)"))
    }

    private func take(_ step: Step) throws {
        world.reseed(step.seed)
        network.reseed(world.draw())
        world.pass(Int64(world.number(0..<400)))
        let index = step.replica % replicas.count
        let replica = replicas[index]
        switch step.kind {
        case .save:
            statistics.note(.save)
            try replica.save()
        case .advance: try replica.advance(sender(for: replica))
        case .exchange: try exchange(replica)
        case .crash: replica.arm(.random(world))
        case .reopen:
            statistics.note(.reopening)
            try replica.reopen()
        case .copy: try copy(index)
        case .backUpOrRestore: try backUpOrRestore(index)
        case .cutOff:
            statistics.note(.cutOff)
            replica.isCutOff.toggle()
        case .clockJump:
            statistics.note(.clockJump)
            replica.jumpClock()
        case .zoneCrash, .zoneRestart, .zoneMove: try disturbZone(step.kind)
        }
        try checkLosses(of: replica)
        try replica.check()
    }

    /// What the power took with it nobody else has seen: a set leaves its file only when it has
    /// been flushed (invariant 11).
    private func checkLosses(of replica: SimulatedReplica) throws {
        let lost = replica.takeLosses()
        guard !lost.isEmpty else { return }
        statistics.note(.saveLostToPower, count: lost.count)
        let known = try zone.log().filter { lost.contains($0.origin) }
        guard known.isEmpty else {
            throw SimulationFailure(
                "\(replica.path) has lost \(known.map(\.dot)), which the zone holds")
        }
        forgotten.formUnion(lost)
    }

    private func disturbZone(_ kind: Step.Kind) throws {
        switch kind {
        case .zoneRestart:
            statistics.note(.zoneRestart)
            try zone.restart()
        case .zoneMove:
            zoneMoves += 1
            try zone.move(to: "zone \(zoneMoves + 1)")
        default: zone.arm(.random(world))
        }
    }

    private func sender(
        for replica: SimulatedReplica
    ) -> (SyncEndpoint, [UInt8]) -> Result<TransportReply, SyncError> {
        { [self] endpoint, body in
            guard !replica.isCutOff else {
                return .failure(SyncError(.unreachable, "The network is cut."))
            }
            return network.send(endpoint, body, to: zone.answer)
        }
    }

    private func exchange(_ replica: SimulatedReplica) throws {
        statistics.note(.exchange)
        try replica.exchange(sender(for: replica))
    }

    private func copy(_ index: Int) throws {
        guard replicas.count < Self.mostReplicas else { return }
        statistics.note(.copy)
        try replicas[index].copyFile(to: "replica \(replicas.count + 1)")
        try addReplica()
    }

    private func backUpOrRestore(_ index: Int) throws {
        guard let backup = backups.first(where: { $0.replica == index }) else {
            let path = "backup of replica \(index + 1)"
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
        zone.arm(nil)
        for replica in replicas {
            replica.isCutOff = false
            replica.arm(nil)
        }
        for _ in 0..<8 {
            for replica in replicas {
                try exchange(replica)
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
