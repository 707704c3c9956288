/// What one save changed, decoded.
///
/// The payload is columnar. A table of replicas (the author is number 0), one of names, one of
/// properties with type and rule; then blocks, each with its operation and its length, so that a
/// reader can pass over what it does not know. `Documentation/FileFormat.md` gives every byte.
public struct ChangePayload: Hashable, Sendable {
    public static let version: UInt64 = 1

    public var blocks: [ChangeBlock]

    public init(blocks: [ChangeBlock]) { self.blocks = blocks }

    /// - Parameter author: The replica of the change set's dot, which inserted records belong to.
    public func encoded(author: ReplicaID) -> [UInt8] { written(author: author).bytes }

    /// As ``encoded(author:)``, without a copy of what is large.
    func written(author: ReplicaID) -> ByteWriter {
        var encoder = ChangePayloadEncoder(author: author)
        for block in blocks { encoder.append(block) }
        return encoder.finished()
    }

    /// Whether there are properties that this version cannot merge, or operations unknown to it.
    public var hasUnknownRules: Bool { blocks.contains { $0.unknownRule != nil } }
}
