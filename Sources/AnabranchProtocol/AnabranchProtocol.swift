/// The sync protocol, shared by both ends.
///
/// A client says ``HelloRequest`` when it begins, asks with ``PullRequest`` for what lies behind
/// its cursor, sends with ``PushRequest`` what the zone lacks, asks with ``RepairRequest`` what the
/// zone has of single records and with ``SnapshotRequest`` what it has of all, and compares what
/// both have by ``ChecksumsRequest``. Bodies are binary, made of the primitives of `ByteWriter`; a
/// body opens with the version of the protocol, so that a later peer is told from a broken one.
/// Errors and the pages for people are JSON. `Documentation/Protocol.md` describes every field.
public enum SyncProtocol {
    public static let version: UInt8 = 1
    /// Content type of the binary bodies.
    public static let mediaType = "application/vnd.anabranch.sync"
    /// Bytes of a request's body, after decompression, unless the server says less.
    public static let largestBody = 64 << 20
    /// Records that one request asks to repair.
    public static let mostRepairs = 1000
    /// Ranges that one request asks to sum.
    public static let mostRanges = 64
    /// Milliseconds that a stamp may be ahead of the server's clock.
    public static let clockLimitMilliseconds: Int64 = 5 * 60 * 1000
}
