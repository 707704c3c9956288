/// The sync protocol, shared by client and server.
///
/// A client begins with ``HelloRequest``. ``PullRequest`` asks for the entries after the client's
/// cursor, and ``PushRequest`` sends the change sets that the zone lacks. ``RepairRequest`` asks
/// for the state of single records, ``SnapshotRequest`` for that of all records, and
/// ``ChecksumsRequest`` compares both states.
///
/// Bodies are binary and consist of the primitives of `ByteWriter`. A body begins with the version
/// of the protocol, so a later peer can be distinguished from a damaged message. Errors and the
/// pages for people are JSON. `Documentation/Protocol.md` describes every field.
package enum SyncProtocol {
    package static let version: UInt8 = 1
    /// The content type of the binary bodies.
    package static let mediaType = "application/vnd.anabranch.sync"
    /// The parameter of the header `Accept` by which a client says that answers may end with named
    /// fields, of which it passes over those that it does not know.
    package static let namedFields = "named-fields=1"
    /// The greatest length of a request's body after decompression, in bytes, unless the server
    /// names a lesser one.
    package static let largestBody = 64 << 20
    /// The greatest number of records in one repair request.
    package static let maximumRepairs = 1000
    /// The greatest number of ranges in one checksums request.
    package static let maximumRanges = 64
    /// The number of milliseconds that a stamp may be ahead of the server's clock.
    package static let clockLimitMilliseconds: Int64 = 5 * 60 * 1000
}
