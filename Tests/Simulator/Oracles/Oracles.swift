import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import TestSupport

/// The conditions that hold when all replicas have synced and no exchange is under way.
///
/// That all replicas become equal is not enough: it would not show a save that was lost on all of
/// them.
struct Oracles {
    let world: SimulatedWorld
    let zone: any ZoneServer
    let replicas: [SimulatedReplica]
    /// Saves that were destroyed together with the last log that had them.
    let forgotten: Set<Digest>
    /// The saves that the zone had rejected before it was restored.
    let voidsLostByZone: Set<Digest>

    func check() throws {
        let log = try zone.log()
        try checkLog(log)
        try checkClocks(log)
        try checkAcknowledged(log)
        try checkRejected(log)
        let intended = try IntendedState(of: log)
        try checkStates(log, intended)
        let records = intended.records
        let conflicts = try ExpectedConflicts(of: intended, world.history)
        let merging = Set(
            replicas.flatMap(\.names.model.entities).filter { !$0.uniquenessConstraints.isEmpty }
                .map(\.wireName.string))
        var views: [SimulationModel.Kind: ExpectedView] = [:]
        for replica in replicas {
            let names = replica.names
            let view = views[names.kind] ?? ExpectedView(of: records.values, model: names.model)
            views[names.kind] = view
            try view.check(try ExpectedView(shownBy: replica), in: replica.path)
            try conflicts.check(
                try replica.store.conflicts(),
                loaded: Set(try replica.snapshotEntries().map(\.origin)),
                hasLosses: world.archive.lossCount > 0, merging: merging, in: replica.path)
            _ = try replica.content().pairs(replica.names)
            guard try !replica.isMigrated || replica.store.check().isValid else {
                throw SimulationFailure("\(replica.path) does not pass its own check")
            }
        }
    }

    /// Checks that the log has every save once, after all saves that its author had seen. If files
    /// can be told apart, it also checks that no two files had one replica ID.
    private func checkLog(_ log: [ChangeSet]) throws {
        var held = HeldSaves()
        for set in log where set.kind != .lost {
            try held.append(set.origin, world.history, in: "the zone")
        }
        let fork = log.first { set in
            set.rewrittenFrom.map { $0.replica != set.dot.replica } ?? false
        }
        // A change set that comes back after it was declared lost is the branch of a fork.
        guard let fork, world.traits.tellsFilesApart, world.archive.lossCount == 0 else { return }
        throw SimulationFailure("\(fork.dot) forked, though files can be told apart")
    }

    /// Checks that no replica moves the zone's clock: a stamp is ahead of real time by the limit at
    /// most, or continues from the stamps before it.
    private func checkClocks(_ log: [ChangeSet]) throws {
        let limit = world.milliseconds + 300_000 + Int64(log.count) * 1_000
        guard let late = log.first(where: { $0.timestamp.wallMilliseconds > limit }) else { return }
        throw SimulationFailure(
            "\(late.dot) is \(late.timestamp.wallMilliseconds - world.milliseconds) ms ahead")
    }

    /// Checks that the log has every save that an app saw succeed, unless the last log that had it
    /// was destroyed.
    private func checkAcknowledged(_ log: [ChangeSet]) throws {
        let held = Set(log.map(\.origin))
        func check(_ acknowledged: Set<Digest>, of author: String) throws {
            let missing = acknowledged.subtracting(held).subtracting(forgotten)
            guard missing.isEmpty else {
                throw SimulationFailure(
                    "\(missing.count) acknowledged saves of \(author) are missing")
            }
        }
        for replica in replicas { try check(replica.everAcknowledged, of: replica.path) }
    }

    /// Checks that the zone has rejected the right saves, and that the table of rejected saves of
    /// each replica has its own ones and no other.
    private func checkRejected(_ log: [ChangeSet]) throws {
        let voids = log.voids
        let period = world.traits.rejectionPeriod
        guard voids.allSatisfy({ period > 0 && $0.prefix % period == 0 }) else {
            throw SimulationFailure("the zone has rejected a save that nothing is wrong with")
        }
        // A replica keeps a rejected save, also if no log has it any more.
        let lost = voidsLostByZone.intersection(forgotten)
        for replica in replicas { try replica.checkRejected(voids, lostByZone: lost) }
    }

    /// Checks that the zone, which updates its checksum with each push, and every replica have the
    /// checksum of the merged state.
    private func checkChecksums(_ reference: ReferenceMerge) throws {
        let epoch = try zone.service.head().epoch
        let kept = try zone.service.checksums(ChecksumsRequest(epoch: epoch)).checksum
        let sum = reference.state.values.reduce(StateChecksum.zero) {
            $0 &+ StateChecksum(of: $1)
        }
        guard sum == kept else {
            throw SimulationFailure("the zone's checksum is not that of its records")
        }
        for replica in replicas where try replica.store.checksum() != kept {
            throw SimulationFailure("\(replica.path) has another checksum than the zone keeps")
        }
    }

    /// Checks that every replica and the zone have one state: the intended state and the state of
    /// the reference merge.
    private func checkStates(_ log: [ChangeSet], _ intended: IntendedState) throws {
        for replica in replicas {
            try intended.check(try replica.canonicalRecords(), in: replica.path)
            guard try replica.store.recordsToRepair(limit: 1).isEmpty else {
                throw SimulationFailure("\(replica.path) has records to repair")
            }
            try replica.checkKnowledge()
        }
        let zoneHash = try zone.service.canonicalHash().hash
        try world.knowledge.check(log.map(\.digest.bytes), hash: zoneHash, in: "the zone")
        guard intended.canonicalHash == zoneHash else {
            throw SimulationFailure("the zone's state is not what its log intends")
        }
        var reference = ReferenceMerge()
        for set in log { try reference.apply(set) }
        guard reference.canonicalHash == zoneHash else {
            throw SimulationFailure("the zone's state is not what its log says")
        }
        try checkChecksums(reference)
    }
}
