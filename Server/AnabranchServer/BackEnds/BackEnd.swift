package import AnabranchProtocol

/// All zones of one location, and the tokens for them.
package protocol BackEnd: AnyObject, Sendable {
    var tokens: any TokenStore { get }

    /// Ends the work of all zones when the server stops.
    var stop: StopSignal { get }

    /// The names of all zones, sorted by their bytes.
    func zones() throws -> [ZoneName]

    /// Creates a zone if there is none of that name.
    func makeZone(_ name: ZoneName) throws

    /// Opens a zone.
    ///
    /// - Throws: ``StorageError`` `noSuchZone`.
    func open(_ name: ZoneName) throws -> any ZoneStorage

    /// Checks that zones can be read and written.
    ///
    /// - Throws: An error that says what is wrong.
    func checkIsReady() throws

    /// The number of open and of idle connections to a database; `nil` for a directory.
    var databaseConnections: (open: Int, idle: Int)? { get }

    /// The connection to the other daemons that serve this back end; `nil` if there are none.
    var exchange: (any HeadExchange)? { get }

    /// Prevents other daemons from serving this back end until it is closed or the process ends.
    ///
    /// Daemons share a database, so there it only checks that the zones were not moved.
    ///
    /// - Throws: ``StorageError`` `inUse` or `moved`.
    func lockForServing() throws

    /// Checks that no daemon serves this back end, and locks it as far as that is possible.
    ///
    /// - Throws: ``StorageError`` `inUse`.
    func lockForMoving() throws

    /// Records that the zones are at another location now, so that no daemon serves them here.
    func markMoved(to location: String) throws

    func close()
}

extension BackEnd {
    package var exchange: (any HeadExchange)? { nil }
    package var databaseConnections: (open: Int, idle: Int)? { nil }
}
