import AnabranchReplication
import AnabranchServer
import AnabranchSync

/// The server of a world's zone, to which anything may happen.
protocol ZoneServer: AnyObject {
    var world: SimulatedWorld { get }
    /// The zone as the oracles see it.
    var service: ZoneService { get }
    var statistics: RunStatistics { get }

    func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply

    /// Plans a death; `nil` ends all disturbances.
    func arm(_ death: CrashPlan.Death?)
    func restart() throws
    /// Continues with a copy of the zone, under a new epoch that continues the old one.
    func move(to copy: String) throws
    func backUp(to copy: String) throws -> ZoneBackup
    /// Continues from a backup, under a new epoch that continues the backup's epoch from there.
    func restore(_ backup: ZoneBackup, as copy: String) throws
    /// Compacts the log to the newest entries, after the oracles have read the others.
    func compact(keeping count: UInt64) throws
    func countFinalDelete()

    /// Checks what holds of the server alone when nothing is left to exchange.
    func checkAtRest() throws
    /// - Returns: The events since the last call, for the story of a run.
    func takeEvents() -> [String]
    func close()
}

/// A copy of a zone, and the log that the oracles had read at that time.
struct ZoneBackup {
    let path: String
    let place: ZoneArchive.Place
}

extension ZoneServer {
    /// Returns the whole log, including the entries that the zone has compacted.
    func log() throws -> [ChangeSet] {
        let archive = world.archive
        try archive.readOn(from: service, checkingDigests: Mechanism.digestCheck.isOn)
        try recordOwnSaves()
        return archive.changeSets
    }

    /// Records the zone's own saves. Their author had seen the zone's whole log.
    private func recordOwnSaves() throws {
        var held = SaveNumbers()
        for set in world.archive.changeSets where set.kind != .lost {
            if set.author == authorOfZones {
                if !world.history.has(set.origin) { countFinalDelete() }
                world.history.add(set.origin, seeing: held)
            }
            held.insert(try world.history.save(set.origin).number)
        }
    }
}

/// The author of a zone's own saves.
private let authorOfZones = "horizon"

extension WorldTraits {
    var zoneLimits: ZoneLimits {
        var limits = ZoneLimits()
        if hasCompaction {
            limits.chunkBytes = 500
            limits.snapshotDistance = 40
        }
        return limits
    }

    /// A validation that decides by the content of a save; `nil` if nothing is rejected. A save
    /// that is pushed again gets the same answer.
    var validation: PushValidation? {
        guard rejectionPeriod > 0 else { return nil }
        return PushValidation { [rejectionPeriod] set, _ in
            set.origin.prefix % rejectionPeriod == 0
                ? SaveRejection(.notAllowed, "Not in this world.") : nil
        }
    }
}
