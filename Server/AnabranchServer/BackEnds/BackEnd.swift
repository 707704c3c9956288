package import AnabranchProtocol

/// All zones of one location, and the tokens for them.
package protocol BackEnd: AnyObject, Sendable {
    var tokens: any TokenStore { get }

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
    /// - Throws: ``StorageError`` `inUse`.
    func lockForServing() throws

    func close()
}

extension BackEnd {
    package var exchange: (any HeadExchange)? { nil }
    package var databaseConnections: (open: Int, idle: Int)? { nil }
}
