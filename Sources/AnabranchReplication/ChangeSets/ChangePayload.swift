/// The changes of one save, decoded.
///
/// The payload is columnar. It begins with three tables: replicas (the author is number 0), names,
/// and properties with type and rule. Blocks follow, each with its operation and its length, so
/// that a reader can skip an unknown operation. `Documentation/FileFormat.md` describes every byte.
package struct ChangePayload: Hashable, Sendable {
    /// The version of the payload's format.
    package static let version: UInt64 = 1

    /// The operations in the order in which they take effect.
    package var blocks: [ChangeBlock]

    package init(blocks: [ChangeBlock]) { self.blocks = blocks }

    /// Encodes the payload.
    ///
    /// - Parameter author: The replica of the change set's dot, which inserted records belong to.
    package func encoded(author: ReplicaID) -> [UInt8] { written(author: author).bytes }

    /// Encodes the payload without copying its large values.
    func written(author: ReplicaID) -> ByteWriter {
        var encoder = ChangePayloadEncoder(author: author)
        for block in blocks { encoder.append(block) }
        return encoder.finished()
    }
}
