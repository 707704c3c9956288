public import AnabranchProtocol

/// A store of zones and tokens, for tools; a daemon may serve it at the same time.
public final class ZoneStore: Sendable {
    let backEnd: any BackEnd
    let environment: ServerEnvironment

    /// Opens a store; creates its directory or its tables if they are missing.
    ///
    /// - Parameter connections: The greatest number of connections to a database.
    public init(
        _ location: StoreLocation, connections: Int = 16,
        environment: ServerEnvironment = .system
    ) throws {
        self.environment = environment
        switch location.place {
        case .directory(let path):
            backEnd = try SQLiteBackEnd(directory: path, environment: environment)
        case .database(let address):
            var options = PostgreSQLPool.Options()
            options.connections = connections
            backEnd = try PostgreSQLBackEnd(address, options: options, environment: environment)
        }
    }

    /// The access tokens of all zones.
    public var tokens: any TokenStore { backEnd.tokens }

    /// The names of all zones, sorted by their bytes.
    public func zones() throws -> [ZoneName] { try backEnd.zones() }

    /// Creates a zone if there is none of that name.
    public func createZone(_ name: ZoneName) throws { try backEnd.makeZone(name) }

    /// Creates a token for a zone, and the zone if there is none of that name.
    public func createToken(
        zone: ZoneName, role: TokenRole
    ) throws -> (token: AccessToken, secret: TokenSecret) {
        try createToken(for: ZonePattern(zone), role: role)
    }

    /// Creates a token for zones. A zone that the pattern names is created if it is missing.
    ///
    /// - Parameter expires: When the token ends, in milliseconds since 1970-01-01 UTC; `nil` if it
    ///   does not end.
    public func createToken(
        for zones: ZonePattern, role: TokenRole, expires: Int64? = nil
    ) throws -> (token: AccessToken, secret: TokenSecret) {
        if let zone = zones.zone { try backEnd.makeZone(zone) }
        return try backEnd.tokens.create(for: zones, role: role, expires: expires)
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

    /// Prevents daemons from serving a directory until the store is closed. Daemons share a
    /// database, so there it does nothing.
    ///
    /// - Throws: An error if a daemon serves the directory.
    public func lock() throws { try backEnd.lockForServing() }

    /// Closes the store and releases its lock.
    public func close() { backEnd.close() }
}
