/// What a bundle says of the store that wrote it.
///
/// A bundle is a file of change sets that needs no log: every set's context is the whole of what
/// its author held. It is, in order: eight bytes that tell what it is, a version, the header, the
/// sets in a causal order, and an end with their number and the digest of all before it. Byte for
/// byte: `Documentation/FileFormat.md`.
package struct BundleHeader: Hashable, Sendable {
    /// Bytes that no text has, and that a transfer that changes line ends changes.
    package static let magic: [UInt8] = [0x89, 0x41, 0x62, 0x42, 0x0D, 0x0A, 0x1A, 0x0A]
    package static let version: UInt8 = 1
    /// Of a bundle with parts of saves in it: who does not know them reads none of it.
    package static let versionWithParts: UInt8 = 2

    /// The replica that the store saved under.
    package var sender: ReplicaID
    /// By the sender's clock, since 1970-01-01 UTC; within what a timestamp holds.
    package let wallMilliseconds: Int64
    /// The last set that the sender held of each replica, in the order of the replicas, whether it
    /// is in the bundle or not.
    package let heads: [CausalContext.Entry]

    /// - Parameter wallMilliseconds: Before 1970 it counts as 1970.
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
            throw reader.failure(.malformed, "a bundle's vector names a log")
        }
        heads = context.beyond
        try reader.expectEnd()
    }
}
