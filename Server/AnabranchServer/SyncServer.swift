public import AnabranchProtocol

/// Where zones and tokens are kept, as a person writes it: `sqlite:DIRECTORY`.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
    public let directory: String

    /// - Throws: `HTTPServerError` that says what to write.
    public init(_ text: String) throws(HTTPServerError) {
        let prefix = "sqlite:"
        guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else {
            throw HTTPServerError(
                "Can't use \"\(text)\" as a store: write sqlite:DIRECTORY, for example "
                    + "sqlite:/var/lib/anabranch.")
        }
        directory = String(text.dropFirst(prefix.count))
    }

    public var description: String { "sqlite:\(directory)" }
}

/// A store of zones and tokens, as tools use it beside a daemon or without one.
public final class ZoneStore: Sendable {
    let backEnd: any BackEnd
    let environment: ServerEnvironment

    public init(_ location: StoreLocation, environment: ServerEnvironment = .system) throws {
        self.environment = environment
        backEnd = try SQLiteBackEnd(directory: location.directory, environment: environment)
    }

    public var tokens: any TokenStore { backEnd.tokens }

    public func zones() throws -> [ZoneName] { try backEnd.zones() }

    /// Makes a token, and the zone where there is none of that name.
    public func createToken(
        zone: ZoneName, role: TokenRole
    ) throws -> (token: Token, secret: TokenSecret) {
        try backEnd.makeZone(zone)
        return try backEnd.tokens.create(zone: zone, role: role)
    }

    /// - Throws: `ProtocolError` `notFound` where there is no such zone.
    public func withZone<Result>(
        _ name: ZoneName, _ body: (ZoneService) throws -> Result
    ) throws -> Result {
        let zones = OpenZones(
            backEnd, limits: ZoneLimits(), wallMilliseconds: environment.wallMilliseconds)
        defer { zones.close() }
        let zone = try zones.retain(name)
        defer { zones.release(name) }
        return try body(zone)
    }

    /// Keeps daemons away until the store is closed.
    ///
    /// - Throws: Where one serves it.
    public func lock() throws { try backEnd.lockForServing() }

    public func close() { backEnd.close() }
}

/// Serves a store over HTTP.
public final class SyncServer: Sendable {
    public struct Options: Sendable {
        public var http = HTTPServerOptions()
        public var zones = ZoneLimits()
        /// The operator's own rules of what is taken in; `nil` where there are none.
        public var validation: PushValidation?
        /// Between two signs of life on an event stream.
        public var heartbeat: Duration = .seconds(20)

        public init() {}
    }

    private let store: ZoneStore
    private let zones: OpenZones
    private let events: EventHub
    private let server: any HTTPServer
    private let router: SyncRouter
    private let log: RequestLog

    public init(_ store: ZoneStore, options: Options, log: RequestLog) {
        self.store = store
        self.log = log
        zones = OpenZones(
            store.backEnd, limits: options.zones, validation: options.validation,
            wallMilliseconds: store.environment.wallMilliseconds)
        events = EventHub(heartbeat: options.heartbeat)
        server = MicroHTTPServer(options: options.http)
        router = SyncRouter(
            zones: zones, tokens: store.tokens, events: events, limits: options.zones, log: log)
    }

    /// - Returns: The port.
    /// - Throws: Where another daemon serves the store, or the address can't be listened on.
    public func start() throws -> Int {
        try store.backEnd.lockForServing()
        return try server.start(router)
    }

    /// Takes no new request, answers those that have begun, ends event streams and closes the
    /// store.
    public func stop() {
        events.close()
        server.stop()
        zones.close()
        store.close()
    }
}
