import AnabranchReplication

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
