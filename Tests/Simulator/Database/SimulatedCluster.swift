import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchSync
import TestSupport

/// A zone that several daemons serve from one database, behind a proxy.
///
/// Each request goes to any of them. A request may be under way at one daemon while another daemon
/// answers others: these run between two groups of statements of the first one.
final class SimulatedCluster: ZoneServer {
    let world: SimulatedWorld
    private let database: SimulatedDatabase
    private let news: SimulatedNews
    private let zone: ZoneName
    private var daemons: [SimulatedDaemon] = []
    /// The numbers of the daemons that are answering a request.
    private var busy: Set<Int> = []
    /// A daemon for the oracles alone.
    private let observer: SimulatedDaemon
    let service: ZoneService
    /// Requests that are on their way though nothing waits for their answers.
    private var held: [(SyncEndpoint, [UInt8])] = []
    private var ownStatistics = RunStatistics()

    init(_ world: SimulatedWorld, path: String) throws {
        self.world = world
        database = SimulatedDatabase(world, path: path)
        news = SimulatedNews(database)
        zone = try ZoneName("simulation")
        observer = try SimulatedDaemon(database, news, zone: zone, isDisturbed: false)
        try observer.makeZone()
        service = try observer.openZone()
        for _ in 0..<world.number(2..<4) { daemons.append(try makeDaemon()) }
        database.interleave = { [weak self] in self?.answerHeld() }
    }

    private func makeDaemon() throws -> SimulatedDaemon {
        while true {
            do {
                return try SimulatedDaemon(database, news, zone: zone, isDisturbed: true)
            } catch {
                // A daemon that can't start is started again.
                guard database.isDisturbed, (error as? StorageError)?.isOfDatabase == true else {
                    throw error
                }
            }
        }
    }

    var statistics: RunStatistics {
        var sum = database.statistics
        sum.add(ownStatistics)
        return sum
    }

    func takeEvents() -> [String] { database.takeEvents() }

    // MARK: Requests

    func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply {
        // The oracles read the entries that the snapshot contains before the zone may forget them.
        if endpoint == .snapshot { _ = try? log() }
        try? replaceDead()
        news.deliverSome()
        if database.isDisturbed, endpoint == .push || endpoint == .stage {
            // The proxy loses patience with one request in eight, and sends two in eight twice.
            let chance = world.number(0..<8)
            if chance < 3 { held.append((endpoint, body)) }
            if chance == 0 { return .refusal(Self.unknown, retryAfter: nil) }
        }
        let reply = answerByAny(endpoint, body) ?? .refusal(Self.unknown, retryAfter: nil)
        if endpoint == .snapshot { _ = try? log() }
        return reply
    }

    private static let unknown = ProtocolError(.shuttingDown, "The proxy has got no answer.")

    /// Starts daemons again that have died.
    private func replaceDead() throws {
        for number in daemons.indices where daemons[number].client.isDead {
            ownStatistics.count(.daemonCrash)
            try replaceDaemon(number)
        }
    }

    /// Lets a daemon answer that answers nothing else now.
    ///
    /// - Returns: `nil` if there is none, or if it has died.
    private func answerByAny(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply? {
        let idle = daemons.indices.filter { !busy.contains($0) && !daemons[$0].client.isDead }
        guard let number = world.element(of: idle) else { return nil }
        busy.insert(number)
        defer { busy.remove(number) }
        database.tell("\(endpoint.rawValue) at daemon \(number + 1)")
        let reply = daemons[number].answer(endpoint, body)
        guard daemons[number].client.isDead else { return reply }
        database.tell("daemon \(number + 1) has died")
        return nil
    }

    /// Answers a request whose answer nothing waits for, while another request is under way.
    private func answerHeld() {
        guard !held.isEmpty, !busy.isEmpty, busy.count < daemons.count, world.oneIn(2) else {
            return
        }
        let (endpoint, body) = held.remove(at: world.number(0..<held.count))
        ownStatistics.count(.concurrentRequest)
        _ = answerByAny(endpoint, body)
        // The entries of the log are archived before a compaction that is under way forgets them.
        _ = try? log()
    }

    // MARK: Disturbances

    func arm(_ death: CrashPlan.Death?) {
        guard let death else {
            database.isDisturbed = false
            held = []
            for daemon in daemons { daemon.client.plan(nil) }
            return
        }
        world.element(of: daemons)?.client.plan(death)
        if death.losesPower { restartDatabase() }
    }

    private func restartDatabase() {
        database.restart()
        news.reconnect()
    }

    private func replaceDaemon(_ number: Int) throws {
        daemons[number].close()
        daemons[number] = try makeDaemon()
    }

    func restart() throws {
        guard !world.oneIn(2) else { return restartDatabase() }
        ownStatistics.count(.daemonRestart)
        try replaceDaemon(world.number(0..<daemons.count))
    }

    func move(to copy: String) throws {
        database.failOver(to: copy)
        news.reconnect()
        touchBySome()
    }

    /// Lets daemons use the new database before the oracles read it, so that a daemon begins the
    /// epoch, or fails to.
    private func touchBySome() {
        for daemon in daemons where world.oneIn(2) {
            _ = try? daemon.withZone { zone throws(ProtocolError) in try zone.head() }
        }
    }

    func backUp(to copy: String) throws -> ZoneBackup {
        ownStatistics.count(.standby)
        _ = try log()
        world.disk.copy(database.path, to: copy)
        return ZoneBackup(path: copy, place: world.archive.place)
    }

    func restore(_ backup: ZoneBackup, as copy: String) throws {
        database.failOver(toOlder: backup.path, at: copy)
        world.archive.goBack(to: backup.place)
        news.reconnect()
        touchBySome()
    }

    func compact(keeping count: UInt64) throws {
        _ = try log()
        try replaceDead()
        let number = world.number(0..<daemons.count)
        busy.insert(number)
        do {
            let done = try daemons[number].withZone {
                zone throws(ProtocolError) in try zone.compact(keeping: count)
            }
            if done.forgottenCount > 0 { ownStatistics.count(.compaction) }
        } catch {
            guard database.isDisturbed, Self.excusable.contains(error.code) else { throw error }
        }
        busy.remove(number)
        // If deletes became final, the zone has saved a change set of its own.
        _ = try log()
    }

    /// The errors of a compaction that a failing database may cause.
    private static let excusable: Set<ProtocolError.Code> = [
        .overloaded, .shuttingDown,
    ]

    func countFinalDelete() { ownStatistics.count(.finalDelete) }

    /// Checks that every event stream has brought the zone's last head.
    func checkAtRest() throws {
        try replaceDead()
        for daemon in daemons { daemon.listen() }
        news.deliverAll()
        let head = try service.head()
        guard daemons.allSatisfy({ $0.hasHeard(head) }) else {
            throw SimulationFailure("an event stream has not brought the last head")
        }
    }

    func close() {
        for daemon in daemons { daemon.close() }
        observer.close()
    }
}

extension StorageError {
    /// Whether a failing database may cause this error.
    fileprivate var isOfDatabase: Bool { code == .unavailable || code == .busy }
}
