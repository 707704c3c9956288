public import AnabranchProtocol

/// The location of zones and tokens, written `sqlite:DIRECTORY`.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
    /// The path of the directory.
    public let directory: String

    /// Parses a location.
    ///
    /// - Throws: ``HTTPServerError`` with the form to write.
    public init(_ text: String) throws(HTTPServerError) {
        let prefix = "sqlite:"
        guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else {
            throw HTTPServerError(
                "Can't use \"\(text)\" as a store: write sqlite:DIRECTORY, for example "
                    + "sqlite:/var/lib/anabranch.")
        }
        directory = String(text.dropFirst(prefix.count))
    }

    /// The location in the form that the initializer reads.
    public var description: String { "sqlite:\(directory)" }
}

/// A store of zones and tokens, for tools; a daemon may serve it at the same time.
public final class ZoneStore: Sendable {
    let backEnd: any BackEnd
    let environment: ServerEnvironment

    /// Opens a store; creates its directory if it is missing.
    public init(_ location: StoreLocation, environment: ServerEnvironment = .system) throws {
        self.environment = environment
        backEnd = try SQLiteBackEnd(directory: location.directory, environment: environment)
    }

    /// The access tokens of all zones.
    public var tokens: any TokenStore { backEnd.tokens }

    /// The names of all zones, sorted by their bytes.
    public func zones() throws -> [ZoneName] { try backEnd.zones() }

    /// Creates a token, and the zone if there is none of that name.
    public func createToken(
        zone: ZoneName, role: TokenRole
    ) throws -> (token: Token, secret: TokenSecret) {
        try backEnd.makeZone(zone)
        return try backEnd.tokens.create(zone: zone, role: role)
    }

    /// Opens a zone for the time of `body`.
    ///
    /// - Throws: `ProtocolError` `notFound` if there is no such zone, or an error of `body`.
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

    /// Prevents daemons from serving the store until it is closed.
    ///
    /// - Throws: An error if a daemon serves the store.
    public func lock() throws { try backEnd.lockForServing() }

    /// Closes the store and releases its lock.
    public func close() { backEnd.close() }
}

/// Serves a store over HTTP.
public final class SyncServer: Sendable {
    /// The settings of a server.
    public struct Options: Sendable {
        /// The address and limits of the HTTP server.
        public var http = HTTPServerOptions()
        /// The limits of each zone.
        public var zones = ZoneLimits()
        /// The operator's own rules for pushed saves; `nil` if there are none.
        public var validation: PushValidation?
        /// The time between two heartbeats on an event stream without other events.
        public var heartbeat: Duration = .seconds(20)

        /// Creates the default settings.
        public init() {}
    }

    private let store: ZoneStore
    private let zones: OpenZones
    private let events: EventHub
    private let server: any HTTPServer
    private let router: SyncRouter
    private let log: RequestLog

    /// Creates a server that does not listen yet.
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

    /// Locks the store and starts to listen.
    ///
    /// - Returns: The port.
    ///
    /// - Throws: An error if another daemon serves the store, or if the address cannot be used.
    public func start() throws -> Int {
        try store.backEnd.lockForServing()
        return try server.start(router)
    }

    /// Stops the server: refuses new requests, finishes running ones, ends event streams and closes
    /// the store.
    public func stop() {
        events.close()
        server.stop()
        zones.close()
        store.close()
    }
}
