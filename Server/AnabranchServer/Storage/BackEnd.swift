package import AnabranchProtocol
import AnabranchReplication

/// All zones of one place, and the tokens for them.
package protocol BackEnd: AnyObject, Sendable {
    var tokens: any TokenStore { get }

    /// In the order of their names' bytes.
    func zones() throws -> [ZoneName]

    /// Makes a zone where there is none of that name.
    func makeZone(_ name: ZoneName) throws

    /// - Throws: ``ZoneStorageError`` `noSuchZone`.
    func open(_ name: ZoneName) throws -> any ZoneStorage

    /// Keeps other daemons away until it is closed or the process ends.
    ///
    /// - Throws: ``ZoneStorageError`` `inUse`.
    func lockForServing() throws

    func close()
}

/// Where a server's clock and randomness come from.
public struct ServerEnvironment: Sendable {
    /// Since 1970-01-01 UTC.
    public var wallMilliseconds: @Sendable () -> Int64
    /// So many bytes that nobody can foresee.
    public var randomBytes: @Sendable (Int) -> [UInt8]

    public init(
        wallMilliseconds: @escaping @Sendable () -> Int64,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.randomBytes = randomBytes
    }

    func newEpoch() -> EpochID {
        guard let epoch = EpochID(bytes: randomBytes(EpochID.byteCount)) else {
            preconditionFailure("a source of randomness gives as many bytes as it is asked for")
        }
        return epoch
    }
}
