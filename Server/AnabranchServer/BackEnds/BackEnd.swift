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
}
