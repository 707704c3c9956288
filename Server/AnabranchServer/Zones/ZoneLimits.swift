import AnabranchProtocol
public import AnabranchReplication

/// What a zone takes in at most.
public struct ZoneLimits: Hashable, Sendable {
    /// Milliseconds that a stamp may be ahead of the server's clock.
    public var clockMilliseconds = SyncProtocol.clockLimitMilliseconds
    /// Bytes of one encoded change set.
    public var changeSetBytes = SyncProtocol.largestBody
    /// Bytes of one part of a save in parts, which is merged in one piece.
    public var partBytes = Limits.largestPart
    /// Bytes of the values of one record, also where they are of saves that did not know of each
    /// other: more than a save leaves (`Limits.largestRecord`), less than a store can hold.
    public var recordBytes = Limits.largestPart
    /// Bytes of all parts of one save.
    public var saveBytes = 4 << 30
    /// Bytes of parts whose saves have not come yet.
    public var stagedBytes = 8 << 30
    /// Milliseconds after which a part that nobody goes on with is dropped.
    public var stageMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// Bytes of encoded change sets in one answer, whatever the client asks for.
    public var pageBytes = SyncProtocol.largestBody / 4
    /// Bytes of a request's body after decompression, as `hello` tells clients.
    public var bodyBytes = SyncProtocol.largestBody

    /// Entries that the log may have gone on behind a snapshot before a newer one is made for who
    /// asks.
    public var snapshotAge: UInt64 = 10_000
    /// Entries of the log from which on a client that has nothing is told to begin with a snapshot.
    public var snapshotDistance: UInt64 = 10_000
    /// About as many bytes of a snapshot are one chunk.
    public var chunkBytes = 1 << 20
    /// How much of the state one answer about ranges looks at.
    public var ranges = RangeCutter.Limits()

    public init() {}
}
