package import AnabranchReplication
package import AnabranchStore

extension SnapshotChunk {
    /// Encodes a state as snapshot chunks.
    ///
    /// - Parameter log: The change sets of the state, in a causal order.
    package static func chunks(
        of reference: ReferenceMerge, log: [ChangeSet], records limit: Int
    ) throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        var chunk = SnapshotChunkEncoder()
        var heads: [ReplicaID: ChangeSet] = [:]
        for set in log
        where set.dot.sequence > heads[set.dot.replica]?.dot.sequence ?? 0 {
            // A log may have echoes of earlier change sets.
            heads[set.dot.replica] = set
        }
        for head in heads.values.sorted(by: { $0.dot.replica < $1.dot.replica }) {
            chunk.append(Head(dot: head.dot, origin: head.origin))
        }
        let records = reference.state.keys.sorted().compactMap { reference.state[$0] }
        for start in stride(from: 0, to: records.count, by: limit) {
            for record in records[start..<min(start + limit, records.count)] {
                var alone = record
                alone.links = []
                chunk.append(alone)
            }
            chunks.append(chunk.finish())
            chunk = SnapshotChunkEncoder()
        }
        // A link comes after both its ends.
        for record in records {
            for link in record.links {
                chunk.append(
                    Link(left: record.id, right: link.right, tags: link.tags), of: link.property)
            }
        }
        chunks.append(chunk.finish())
        return chunks
    }
}

extension Store {
    package func load(_ chunks: [[UInt8]], at cursor: LogCursor) throws {
        var digests = DigestBuilder()
        for chunk in chunks { digests.update(Digest(of: chunk)) }
        let snapshot = StagedSnapshot(
            cursor: cursor, digest: digests.finish(), chunkCount: UInt64(chunks.count))
        for (number, chunk) in chunks.enumerated() {
            try stage(chunk, number: UInt64(number), of: snapshot)
        }
        _ = try loadSnapshot()
    }
}
