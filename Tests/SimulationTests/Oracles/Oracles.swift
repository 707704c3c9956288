import AnabranchReplication
import AnabranchServer
import AnabranchStore
import TestSupport

/// What must hold when all have synced and nothing is under way.
struct Oracles {
    let zone: SimulatedZone
    let replicas: [SimulatedReplica]
    /// Saves that were destroyed with the only file that had them.
    let forgotten: Set<Digest>

    func check() throws {
        let log = try zone.log()
        try checkHashes(log)
        try checkAcknowledged(log)
        try checkContents()
    }

    /// One state on every replica, in the zone, and by the rules written down once more.
    private func checkHashes(_ log: [ChangeSet]) throws {
        let zoneHash = try zone.service.canonicalHash().hash
        for replica in replicas {
            let hash = try replica.store.canonicalHash()
            guard hash == zoneHash else {
                throw SimulationFailure("\(replica.path) has \(hash), the zone \(zoneHash)")
            }
        }
        var reference = ReferenceMerge()
        for set in log { try reference.apply(set) }
        guard reference.canonicalHash == zoneHash else {
            throw SimulationFailure("the zone's state is not what its log says")
        }
    }

    /// Every save that an app was told of is in the log, once.
    private func checkAcknowledged(_ log: [ChangeSet]) throws {
        let origins = log.map(\.origin)
        let held = Set(origins)
        guard held.count == origins.count else {
            throw SimulationFailure("the log has a save twice")
        }
        for replica in replicas {
            let missing = replica.acknowledged.subtracting(held).subtracting(forgotten)
            guard missing.isEmpty else {
                throw SimulationFailure(
                    "\(missing.count) acknowledged saves of \(replica.path) are missing")
            }
        }
    }

    private func checkContents() throws {
        for replica in replicas { _ = try replica.content().pairs(replica.names) }
    }
}
