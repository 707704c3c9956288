import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchSync
import TestSupport

/// One daemon on the simulated database, with a client that holds an event stream.
final class SimulatedDaemon: @unchecked Sendable {
    let client: DatabaseClient
    private let zone: ZoneName
    private let backEnd: SimulatedBackEnd
    private let zones: OpenZones
    private let heard = HeardHeads()
    private var isListened = false

    /// Starts a daemon.
    ///
    /// - Parameter isDisturbed: False for a daemon to which nothing ever happens.
    init(
        _ database: SimulatedDatabase, _ news: SimulatedNews, zone: ZoneName, isDisturbed: Bool
    ) throws {
        let world = database.world
        let client = DatabaseClient(isDisturbed: isDisturbed)
        self.client = client
        self.zone = zone
        let environment = ServerEnvironment(
            wallMilliseconds: { world.milliseconds }, randomBytes: { world.bytes($0) })
        var options = PostgreSQLPool.Options()
        options.failurePause = .zero
        options.connect = { _, _, _ in try SimulatedLink(database, client) }
        backEnd = SimulatedBackEnd(
            try PostgreSQLBackEnd(
                try PostgreSQLLocation("postgres://simulation/zones"), options: options,
                environment: environment), news.makeExchange())
        zones = OpenZones(
            backEnd, limits: world.traits.zoneLimits, validation: world.traits.validation,
            wallMilliseconds: { world.milliseconds })
        zones.listenToOthers()
    }

    func makeZone() throws { try backEnd.makeZone(zone) }

    /// The zone, which stays open as long as the daemon.
    func openZone() throws -> ZoneService { try zones.retain(zone) }

    func answer(_ endpoint: SyncEndpoint, _ body: [UInt8]) -> TransportReply {
        listen()
        do throws(ProtocolError) {
            return try withZone { ZoneEndpoint($0).answer(endpoint, body) }
        } catch {
            return .refusal(error, retryAfter: nil)
        }
    }

    func withZone<Result>(
        _ body: (ZoneService) throws(ProtocolError) -> Result
    ) throws(ProtocolError) -> Result {
        try zones.withZone(zone, body)
    }

    /// Opens an event stream, unless there is one. If that fails, its client tries again later.
    func listen() {
        guard !isListened, let service = try? zones.retain(zone) else { return }
        let number = service.addObserver { [heard] in heard.add($0) }
        guard let head = try? service.head() else {
            service.removeObserver(number)
            return zones.release(zone)
        }
        heard.add(head)
        isListened = true
    }

    func hasHeard(_ head: ZoneHead) -> Bool { heard.has(head) }

    func close() {
        zones.close()
        backEnd.close()
    }
}

/// The heads that an event stream has brought.
private final class HeardHeads: @unchecked Sendable {
    private var heads: Set<ZoneHead> = []

    func add(_ head: ZoneHead) { heads.insert(head) }

    func has(_ head: ZoneHead) -> Bool { heads.contains(head) }
}

/// The server's back end for PostgreSQL, with announcements that do not come by `LISTEN`.
private final class SimulatedBackEnd: BackEnd {
    private let database: PostgreSQLBackEnd
    let exchange: (any HeadExchange)?

    init(_ database: PostgreSQLBackEnd, _ exchange: any HeadExchange) {
        self.database = database
        self.exchange = exchange
    }

    var tokens: any TokenStore { database.tokens }
    var stop: StopSignal { database.stop }
    func zones() throws -> [ZoneName] { try database.zones() }
    func makeZone(_ name: ZoneName) throws { try database.makeZone(name) }
    func open(_ name: ZoneName) throws -> any ZoneStorage { try database.open(name) }
    func checkIsReady() throws { try database.checkIsReady() }
    func lockForServing() throws { try database.lockForServing() }
    func lockForMoving() throws { try database.lockForMoving() }
    func markMoved(to location: String) throws { try database.markMoved(to: location) }

    func close() {
        exchange?.close()
        database.close()
    }
}
