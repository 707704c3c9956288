import AnabranchProtocol
package import AnabranchReplication

/// The limits of a zone.
public struct ZoneLimits: Hashable, Sendable {
    /// Milliseconds that a stamp may be ahead of the server's clock.
    public var clockMilliseconds = SyncProtocol.clockLimitMilliseconds
    /// The greatest number of bytes of one part of a save in parts; a part is merged as a whole.
    public var partBytes = Limits.largestPart
    /// The greatest number of bytes of one record's values, including those of concurrent saves.
    ///
    /// It is more than one save may write (`Limits.largestRecord`), and less than a store can hold.
    public var recordBytes = Limits.largestPart
    /// The greatest number of bytes of one save: its encoded change set and all its parts.
    ///
    /// A save that is not in parts comes in one request body, so it has at most ``bodyBytes``.
    public var saveBytes = 4 << 30
    /// The greatest number of bytes of staged parts without a save.
    public var stagedBytes = 8 << 30
    /// The greatest number of staged parts without a save.
    ///
    /// Stores divide saves into parts of 8 MiB, so the bytes are the lower limit for them.
    public var stagedParts = 10_000
    /// Milliseconds after which a staged part, or an unfinished snapshot, is dropped if nothing is
    /// added to it.
    public var stageMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// The approximate limit of one response in bytes, whatever the client requests.
    ///
    /// It applies to change sets, repaired records, pieces of parts and chunks of snapshots. A
    /// single change set or record may exceed it.
    public var pageBytes = SyncProtocol.largestBody / 4
    /// The greatest number of bytes of a decompressed request body; `hello` reports it to clients.
    public var bodyBytes = SyncProtocol.largestBody

    /// The quotas of zones that have none of their own.
    public var quotas = ZoneQuotas()

    /// The greatest age of a snapshot, in log entries, that is served without creating a newer one.
    public var snapshotAge: UInt64 = 10_000
    /// The number of log entries from which on an empty client is advised to use a snapshot,
    /// whatever they contain.
    public var snapshotDistance: UInt64 = 10_000
    /// The milliseconds that a client must save by a snapshot before it is advised to use one for
    /// a log of fewer entries: the work that every snapshot is for the server.
    public var snapshotMilliseconds = 1000
    /// The approximate number of bytes of a snapshot's chunk.
    public var chunkBytes = 1 << 20
    /// The limits of one response about ranges of records.
    package var ranges = RangeSummarizer.Limits()

    /// Creates the default limits.
    public init() {}

    /// The limits for requests that have so many bytes of memory each.
    ///
    /// A larger body or answer would be deferred for ever. So clients learn the lower limit, and
    /// divide what they send.
    func fitting(requestMemory byteCount: Int) -> ZoneLimits {
        var limits = self
        limits.bodyBytes = min(bodyBytes, byteCount)
        limits.pageBytes = min(pageBytes, byteCount / 2)
        return limits
    }
}
