/// The header of a bundle, which describes the store that wrote it.
///
/// A bundle is a file of change sets that needs no log: the context of each change set names every
/// head that its author held. The file begins with eight magic bytes, a version and the header. The
/// change sets follow in a causal order. The end contains their number and the digest of all bytes
/// before it. `Documentation/FileFormat.md` describes every byte.
package struct BundleHeader: Hashable, Sendable {
    /// The first eight bytes of a bundle. No text file begins with them, and a transfer that
    /// converts line ends damages them, so such a transfer is noticed at once.
    package static let magic: [UInt8] = [0x89, 0x41, 0x62, 0x42, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The version of a bundle without parts of saves.
    package static let version: UInt8 = 1
    /// The version of a bundle with parts of saves. A program that knows only version 1 refuses
    /// such a bundle as a whole.
    package static let versionWithParts: UInt8 = 2

    /// The replica ID of the store when it wrote the bundle.
    package var sender: ReplicaID
    /// The time by the sender's clock, in milliseconds since 1970-01-01 UTC, within the range of a
    /// `HybridTimestamp`.
    package let wallMilliseconds: Int64
    /// The last change set of each replica that the sender held, ordered by replica ID. The bundle
    /// need not contain these change sets.
    package let heads: [CausalContext.Entry]

    /// Creates a header and sorts the heads.
    ///
    /// - Parameter wallMilliseconds: Milliseconds since 1970-01-01 UTC. A time outside the range of
    ///   a timestamp becomes the nearest one inside it.
    package init(sender: ReplicaID, wallMilliseconds: Int64, heads: [CausalContext.Entry]) {
        self.sender = sender
        self.wallMilliseconds =
            HybridTimestamp(wallMilliseconds: wallMilliseconds).wallMilliseconds
        self.heads = CausalContext(beyond: heads).beyond
    }

    package var vector: VersionVector { VersionVector(heads.map(\.dot)) }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(replica: sender)
        writer.append(signed: wallMilliseconds)
        writer.append(context: CausalContext(beyond: heads))
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        sender = try reader.readReplica()
        wallMilliseconds = try reader.readSigned()
        guard
            HybridTimestamp(wallMilliseconds: wallMilliseconds).wallMilliseconds
                == wallMilliseconds
        else { throw reader.failure(.limitExceeded, "a bundle's time is not within 0…2^47−1") }
        let context = try reader.readContext()
        guard context.prefix == nil else {
            throw reader.failure(.malformed, "the vector of a bundle names a position of a log")
        }
        heads = context.beyond
        try reader.expectEnd()
    }
}
