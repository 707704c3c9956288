import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchSync
import TestSupport

/// A zone with its own disk. Its daemon may die between any two operations and restart.
final class SimulatedZone: ZoneServer {
    let world: SimulatedWorld
    private var path: String
    private let crash: CrashPlan
    private(set) var statistics = RunStatistics()
    private var archive: ZoneArchive { world.archive }
    private var storage: SQLiteZoneStorage
    private(set) var service: ZoneService

    init(_ world: SimulatedWorld, path: String) throws {
        self.world = world
        self.path = path
        crash = CrashPlan(world.disk.process(of: path))
        (storage, service) = try Self.open(path, world, crash)
    }

    private static func open(
        _ path: String, _ world: SimulatedWorld, _ crash: CrashPlan
    ) throws -> (SQLiteZoneStorage, ZoneService) {
        let disk = world.disk
        var options = SQLiteZoneStorage.Options()
        options.vfs = disk.name
        options.fileIdentity = { try disk.identity(of: $0) }
        let storage = try SQLiteZoneStorage(path: path, creating: true, options: options) {
            EpochID(high: world.draw(), low: world.draw())
        }
        storage.setFaults(crash.faults)
        let service = ZoneService(
            name: try ZoneName("simulation"), storage: storage,
            limits: world.traits.zoneLimits, validation: world.traits.validation,
            wallMilliseconds: { world.milliseconds })
        return (storage, service)
    }

    func arm(_ death: CrashPlan.Death?) { crash.arm(death) }

    func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply {
        // The oracles read the entries that the snapshot contains before the zone may forget them.
        if endpoint == .snapshot, crash.death == nil { _ = try? log() }
        let reply = ZoneEndpoint(service).answer(endpoint, body)
        guard let death = crash.death else { return reply }
        statistics.count(death.losesPower ? .zonePowerLoss : .zoneCrash)
        return .refusal(
            (try? restart()) == nil
                ? ProtocolError(.notFound, "The zone does not come back.")
                : ProtocolError(.shuttingDown, "The daemon died."), retryAfter: nil)
    }

    func restart() throws {
        end()
        try begin()
    }

    /// Ends the process, whether it is alive or has died.
    private func end() {
        let death = crash.death
        crash.arm(nil)
        service.close()
        guard let death else { return }
        world.disk.restart(path, afterLossOfPower: death.losesPower)
    }

    private func begin() throws {
        crash.begin(world.disk.process(of: path))
        (storage, service) = try Self.open(path, world, crash)
    }

    /// Continues with a copy of its file, under a new epoch that continues the old one.
    func move(to copy: String) throws {
        statistics.count(.zoneMove)
        end()
        world.disk.copy(path, to: copy)
        path = copy
        try begin()
    }

    func backUp(to copy: String) throws -> ZoneBackup {
        statistics.count(.zoneBackup)
        _ = try log()
        end()
        world.disk.copy(path, to: copy)
        try begin()
        return ZoneBackup(path: copy, place: archive.place)
    }

    /// Continues from a backup, under a new epoch that continues the backup's epoch from there.
    func restore(_ backup: ZoneBackup, as copy: String) throws {
        statistics.count(.zoneRestore)
        end()
        world.disk.copy(backup.path, to: copy)
        path = copy
        archive.goBack(to: backup.place)
        try begin()
    }

    func close() { service.close() }

    /// Compacts the log to the newest entries, after the oracles have read the others.
    func compact(keeping count: UInt64) throws {
        _ = try log()
        do {
            let done = try service.compact(keeping: count)
            if done.forgottenCount > 0 { statistics.count(.compaction) }
        } catch {
            guard let death = crash.death else { throw error }
            statistics.count(death.losesPower ? .zonePowerLoss : .zoneCrash)
            try restart()
        }
        // If deletes became final, the zone has saved a change set of its own.
        _ = try log()
    }

    func countFinalDelete() { statistics.count(.finalDelete) }

    func checkAtRest() throws {}

    func takeEvents() -> [String] { [] }
}
