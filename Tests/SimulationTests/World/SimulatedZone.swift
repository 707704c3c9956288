import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchSync
import Foundation
import TestSupport

/// A zone on a real file, whose daemon may die at a commit and come back.
final class SimulatedZone {
    let world: SimulatedWorld
    let crash = CrashPlan()
    private var path: String
    private(set) var statistics = RunStatistics()
    private var storage: SQLiteZoneStorage
    private(set) var service: ZoneService

    init(_ world: SimulatedWorld, path: String) throws {
        self.world = world
        self.path = path
        (storage, service) = try Self.open(path, world, crash)
    }

    private static func open(
        _ path: String, _ world: SimulatedWorld, _ crash: CrashPlan
    ) throws -> (SQLiteZoneStorage, ZoneService) {
        let storage = try SQLiteZoneStorage(path: path, creating: true) {
            EpochID(high: world.draw(), low: world.draw())
        }
        storage.setFaults(crash.faults)
        let service = ZoneService(
            name: try ZoneName("simulation"), storage: storage,
            wallMilliseconds: { world.milliseconds }, disabled: world.disabled)
        return (storage, service)
    }

    func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply {
        let reply = ZoneEndpoint(service).answer(endpoint, body)
        guard crash.takeCrash() != nil else { return reply }
        statistics.note(.zoneCrash)
        return .refusal(
            (try? restart()) == nil
                ? ProtocolError(.notFound, "The zone does not come back.")
                : ProtocolError(.shuttingDown, "The daemon died."), retryAfter: nil)
    }

    func restart() throws {
        crash.arm(nil)
        service.close()
        _ = crash.takeCrash()
        (storage, service) = try Self.open(path, world, crash)
    }

    /// Goes on from a copy of its file: a new epoch, which continues the old one.
    func move(to copy: String) throws {
        statistics.note(.zoneMove)
        crash.arm(nil)
        service.close()
        _ = crash.takeCrash()
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        path = copy
        (storage, service) = try Self.open(path, world, crash)
    }

    func close() { service.close() }

    /// The whole log, as a new client would get it.
    func log() throws -> [ChangeSet] {
        var cursor: LogCursor?
        var sets: [ChangeSet] = []
        while true {
            let page = try service.pull(PullRequest(cursor: cursor, byteLimit: 1 << 20))
            sets += try page.changeSets.map {
                try ChangeSet(
                    decoding: $0, checkingDigest: !world.disabled.contains(.digestCheck))
            }
            cursor = page.cursor
            if page.cursor.position >= page.headPosition { return sets }
        }
    }
}
