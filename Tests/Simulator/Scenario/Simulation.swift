import AnabranchReplication
import AnabranchServer
import AnabranchStore
import AnabranchSync
import TestSupport

/// One run: replicas, a zone and a bad network, all determined by one scenario.
///
/// A run has random saves, syncs whose steps interleave, wrong clocks, crashes at commits on both
/// sides, and copies and restored backups of files. Then the network heals, all replicas sync, and
/// the oracles check the result.
package final class Simulation {
    package let world: SimulatedWorld
    private let scenario: Scenario
    private let story: Story?
    private let zone: any ZoneServer
    private var network: FaultyNetwork
    private var replicas: [SimulatedReplica] = []
    /// Saves that an app saw succeed and that were destroyed with the last log that had them.
    private var forgotten: Set<Digest> = []
    private var replicasMade = 0
    private var backups: [(replica: Int, path: String)] = []
    private(set) var statistics = RunStatistics()
    /// Origins of the rejected saves that were in the zone's log when it was restored.
    private var voidsLostByZone: Set<Digest> = []
    private var zoneMoves = 0
    private var zoneBackups: [ZoneBackup] = []
    private lazy var bundles = SimulatedPost(world)

    private static let maximumReplicas = 5

    /// - Parameter story: Receives the events.
    package init(_ scenario: Scenario, story: Story? = nil) throws {
        self.scenario = scenario
        self.story = story
        world = SimulatedWorld(scenario, hasStory: story != nil)
        zone =
            switch scenario.traits.storage {
            case .sqlite: try SimulatedZone(world, path: "zone")
            case .postgres: try SimulatedCluster(world, path: "zone")
            }
        let period = scenario.traits.faultPeriod
        network = FaultyNetwork(
            seed: world.draw(), faults: period == 0 ? .none : .all(oneIn: period))
        for number in 0..<scenario.traits.replicaCount {
            replicas.append(try makeReplica(.shared(scenario.traits.apps.model(of: number))))
        }
    }

    package func run() throws {
        defer {
            for replica in replicas { statistics.add(replica.closeForGood()) }
            zone.close()
            statistics.add(zone.statistics)
        }
        story?.tell("a world of \(scenario.traits)")
        for step in scenario.steps { try take(step) }
        story?.tell("all sync until nothing is left to say")
        world.reseed(scenario.seed)
        try quiesce()
        try upgradeAtRest()
        try zone.checkAtRest()
        try recordRewriting()
        try Oracles(
            world: world, zone: zone, replicas: replicas, forgotten: forgotten,
            voidsLostByZone: voidsLostByZone
        ).check()
    }

    private func recordRewriting() throws {
        for set in try zone.log() {
            if set.kind == .void { statistics.count(.rejection) }
            guard let first = set.rewrittenFrom else { continue }
            statistics.count(first.replica == set.dot.replica ? .restamp : .fork)
        }
    }

    private func makeReplica(_ names: SimulationModel) throws -> SimulatedReplica {
        replicasMade += 1
        return try SimulatedReplica(world, names, path: "replica \(replicasMade)")
    }

    private func take(_ step: Step) throws {
        world.reseed(step.seed)
        network.reseed(world.draw())
        world.pass(Int64(world.number(0..<400)))
        let index = step.replica % replicas.count
        let replica = replicas[index]
        let kind = step.kind(in: scenario)
        defer { tell(kind, replica) }
        switch kind {
        case .save:
            statistics.count(.save)
            try replica.save()
        case .advance: try replica.advance(sender(for: replica))
        case .exchange: try exchange(replica)
        case .crash: replica.arm(.random(world))
        case .reopen:
            statistics.count(.reopening)
            try replica.reopen()
        case .copy: try copy(index)
        case .backUpOrRestore: try backUpOrRestore(index)
        case .cutOff:
            statistics.count(.cutOff)
            replica.isCutOff.toggle()
        case .clockJump:
            statistics.count(.clockJump)
            replica.jumpClock()
        case .zoneCrash, .zoneRestart, .zoneMove, .compaction, .zoneRestore:
            try disturbZone(kind)
        case .trimming: try trim(replica)
        case .bundle: try bundles.pass(through: replica)
        case .upgrade: try upgrade(index)
        }
        try recordLosses(of: replica)
        try replicas[index].check()
    }

    private func tell(_ kind: Step.Kind, _ replica: SimulatedReplica) {
        guard let story else { return }
        let place = kind.isOfZone ? "zone" : replica.path
        let events = (replica.takeEvents() + zone.takeEvents()).joined(separator: "; ")
        story.tell("\(place): \(kind.rawValue)\(events.isEmpty ? "" : " — ")\(events)")
    }

    private func recordLosses(of replica: SimulatedReplica) throws {
        guard let lost = replica.takeLosses() else { return }
        statistics.count(.saveLostToPower, count: lost.count)
        try recordForgotten()
    }

    /// Records the destroyed saves: no replica can supply a save that no file holds.
    private func recordForgotten() throws {
        var missing = world.history.origins.subtracting(forgotten)
        missing.subtract(try zone.log().map(\.origin))
        for replica in replicas { missing.subtract(try replica.logOrigins()) }
        forgotten.formUnion(missing)
        world.history.recordGone(missing)
    }

    /// Trims the log of a replica, as an engine does after an exchange and a tool at any time.
    ///
    /// The entries are archived before the replica removes them.
    private func trim(_ replica: SimulatedReplica) throws {
        if !world.oneIn(4) { try exchange(replica) }
        guard (try? zone.log()) != nil else { return }
        try replica.trim()
        // The zone may have gone back meanwhile, and may lack what this was the last log to have.
        try recordForgotten()
        try recordUnsupplied()
    }

    private func disturbZone(_ kind: Step.Kind) throws {
        switch kind {
        case .zoneRestart:
            statistics.count(.zoneRestart)
            try zone.restart()
        case .zoneMove:
            zoneMoves += 1
            try zone.move(to: "zone \(zoneMoves + 1)")
        case .zoneRestore: try backUpOrRestoreZone()
        case .compaction: try zone.compact(keeping: UInt64(world.number(0..<8)))
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
        statistics.count(.exchange)
        try replica.exchange(sender(for: replica))
    }

    private func copy(_ index: Int) throws {
        guard replicas.count < Self.maximumReplicas else { return }
        statistics.count(.copy)
        try replicas[index].copyFile(to: "replica \(replicasMade + 1)")
        replicas.append(try makeReplica(replicas[index].names))
    }

    private func backUpOrRestore(_ index: Int) throws {
        guard let backup = backups.first(where: { $0.replica == index }) else {
            let path = "backup of replica \(index + 1)"
            backups.append((index, path))
            statistics.count(.backup)
            return try replicas[index].copyFile(to: path)
        }
        statistics.count(.restore)
        try replicas[index].restore(backup.path)
        try recordForgotten()
        backups.removeAll { $0.replica == index }
    }

    /// Gives an app another version, which migrates its file.
    private func upgrade(_ index: Int) throws {
        let replica = replicas[index]
        guard let next = replica.names.kind.next(world) else { return }
        try replica.upgrade(to: .shared(next))
        try replica.checkKnowledge()
    }

    /// Gives some apps another version once they hold everything that the other versions saved.
    private func upgradeAtRest() throws {
        guard scenario.traits.apps.areUpgraded else { return }
        for index in replicas.indices where world.oneIn(2) {
            let replica = replicas[index]
            defer { tell(.upgrade, replica) }
            try upgrade(index)
            try recordLosses(of: replica)
        }
        // A loss of power may have taken a file back.
        try quiesce()
    }

    private func backUpOrRestoreZone() throws {
        zoneMoves += 1
        guard let backup = world.element(of: zoneBackups), !world.oneIn(2) else {
            zoneBackups.append(try zone.backUp(to: "backup \(zoneMoves) of the zone"))
            return
        }
        let before = try zone.log()
        voidsLostByZone.formUnion(before.voids)
        try zone.restore(backup, as: "zone \(zoneMoves + 1)")
        statistics.count(.entryLostByZone, count: max(before.count - (try zone.log().count), 0))
        try recordForgotten()
        try recordUnsupplied()
    }

    /// Records the saves that a replica has in a snapshot alone, or has removed from its log. It
    /// can't supply them to a zone that has lost them, and continues from the state that the zone
    /// has now.
    private func recordUnsupplied() throws {
        let inZone = Set(try zone.log().map(\.origin))
        for replica in replicas {
            let loaded = Set(try replica.snapshotEntries().map(\.origin))
            world.history.recordGone(
                loaded.subtracting(try replica.logOrigins()).subtracting(inZone))
        }
    }

    /// The replicas that have something to push or have not pulled everything.
    private func restless() throws -> [SimulatedReplica] {
        let head = try zone.service.head()
        return try replicas.filter { replica in
            guard let outcome = replica.lastOutcome, outcome.isCaughtUp else { return true }
            let state = try replica.store.syncState()
            // An exchange that was under way may have looked for saves before the last one.
            guard !state.hasPending else { return true }
            // A zone that was restored may have reached the same position again.
            let cursor = state.cursor
            return cursor?.epoch != head.epoch || cursor?.position != head.position
        }
    }

    /// Heals the network and syncs all replicas until nothing is left to exchange.
    private func quiesce() throws {
        network.faults = .none
        zone.arm(nil)
        for replica in replicas {
            replica.isCutOff = false
            replica.arm(nil)
        }
        for replica in replicas { replica.lastOutcome = nil }
        for _ in 0..<8 {
            for replica in try restless() {
                defer { tell(.exchange, replica) }
                try exchange(replica)
                try replica.check()
            }
            if try restless().isEmpty { return }
        }
        throw SimulationFailure(
            "the replicas do not come to rest: "
                + replicas.map { "\($0.lastOutcome.map { "\($0)" } ?? "nothing")" }
                .joined(separator: "; "))
    }
}
