package import AnabranchProtocol
import AnabranchReplication

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

    /// Prevents other daemons from serving this back end until it is closed or the process ends.
    ///
    /// - Throws: ``StorageError`` `inUse`.
    func lockForServing() throws

    func close()
}

/// The sources of time and randomness of a server.
public struct ServerEnvironment: Sendable {
    /// The time in milliseconds since 1970-01-01 UTC.
    public var wallMilliseconds: @Sendable () -> Int64
    /// Returns this number of unpredictable random bytes.
    public var randomBytes: @Sendable (Int) -> [UInt8]

    /// Creates an environment.
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
