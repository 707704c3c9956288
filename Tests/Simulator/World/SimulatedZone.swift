import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchSync
import TestSupport

/// A zone on a disk of its own, whose daemon may die between any two operations and come back.
final class SimulatedZone {
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
        var limits = ZoneLimits()
        if world.traits.hasCompaction {
            limits.chunkBytes = 500
            limits.snapshotDistance = 40
        }
        let service = ZoneService(
            name: try ZoneName("simulation"), storage: storage, limits: limits,
            validation: validation(world.traits.rejectionPeriod),
            wallMilliseconds: { world.milliseconds }, disabled: world.disabled)
        return (storage, service)
    }

    /// Which saves are rejected follows from what they are, whenever and however often they come.
    private static func validation(_ period: UInt64) -> PushValidation? {
        guard period > 0 else { return nil }
        return PushValidation { set, _ in
            set.origin.prefix % period == 0 ? Rejection(.notAllowed, "Not in this world.") : nil
        }
    }

    func arm(_ death: CrashPlan.Death?) { crash.arm(death) }

    func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply {
        // What a snapshot stands for, the oracles know.
        if endpoint == .snapshot, crash.death == nil { _ = try? log() }
        let reply = ZoneEndpoint(service).answer(endpoint, body)
        guard let death = crash.death else { return reply }
        statistics.note(death.losesPower ? .zonePowerLoss : .zoneCrash)
        return .refusal(
            (try? restart()) == nil
                ? ProtocolError(.notFound, "The zone does not come back.")
                : ProtocolError(.shuttingDown, "The daemon died."), retryAfter: nil)
    }

    func restart() throws {
        end()
        try begin()
    }

    /// The process ends, by itself or because it has died.
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

    /// Goes on from a copy of its file: a new epoch, which continues the old one.
    func move(to copy: String) throws {
        statistics.note(.zoneMove)
        end()
        world.disk.copy(path, to: copy)
        path = copy
        try begin()
    }

    /// A copy of the zone's file, and what the oracles knew of its log then.
    struct Backup {
        let path: String
        let place: ZoneArchive.Place
    }

    func backUp(to copy: String) throws -> Backup {
        statistics.note(.zoneBackup)
        _ = try log()
        end()
        world.disk.copy(path, to: copy)
        try begin()
        return Backup(path: copy, place: archive.place)
    }

    /// Goes on from what a backup holds: a new epoch, which continues an old one from there.
    func restore(_ backup: Backup, as copy: String) throws {
        statistics.note(.zoneRestore)
        end()
        world.disk.copy(backup.path, to: copy)
        path = copy
        archive.goBack(to: backup.place)
        try begin()
    }

    func close() { service.close() }

    /// Forgets all but the newest entries, once the oracles have them.
    func compact(keeping count: UInt64) throws {
        _ = try log()
        do {
            let done = try service.compact(keeping: count)
            if done.forgottenCount > 0 { statistics.note(.compaction) }
        } catch {
            guard let death = crash.death else { throw error }
            statistics.note(death.losesPower ? .zonePowerLoss : .zoneCrash)
            try restart()
        }
        // The zone has a save of its own where deletes have become final.
        _ = try log()
    }

    /// The whole log, with what the zone has forgotten meanwhile.
    func log() throws -> [ChangeSet] {
        try archive.readOn(from: service, checkingDigests: !world.disabled.contains(.digestCheck))
        try noteOwnSaves()
        return archive.changeSets
    }

    /// What a zone has saved itself, it has saved knowing all that its log had.
    private func noteOwnSaves() throws {
        var held = SaveNumbers()
        for set in archive.changeSets where set.kind != .lost {
            if set.author == Self.author {
                if !world.history.has(set.origin) { statistics.note(.finalDelete) }
                world.history.note(set.origin, seeing: held)
            }
            held.insert(try world.history.save(set.origin).number)
        }
    }

    /// The name under which a zone saves.
    private static let author = "horizon"
}
