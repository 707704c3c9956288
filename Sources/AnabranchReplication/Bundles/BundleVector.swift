/// What one author after another held, each told by how it differs from the one before.
///
/// A context that needs no log names every replica, so it grows with their number; authors that
/// save one after the other held nearly the same. What stands here for a set's own replica says
/// nothing: its earlier sets are held by definition.
struct BundleVector {
    private var heads: [ReplicaID: CausalContext.Entry] = [:]

    /// One replica of which another set is held than before, or none.
    struct Change {
        var replica: ReplicaID
        /// `nil` where none is held.
        var head: CausalContext.Entry?
    }

    /// - Returns: What makes the vector the context of a set, in the order of the replicas.
    mutating func changes(to context: CausalContext, of author: ReplicaID) -> [Change] {
        var wanted: Set<ReplicaID> = []
        var changes: [Change] = []
        for entry in context.beyond where entry.dot.replica != author {
            wanted.insert(entry.dot.replica)
            guard heads[entry.dot.replica] != entry else { continue }
            changes.append(Change(replica: entry.dot.replica, head: entry))
        }
        for replica in heads.keys where replica != author && !wanted.contains(replica) {
            changes.append(Change(replica: replica, head: nil))
        }
        changes.sort { $0.replica < $1.replica }
        for change in changes { heads[change.replica] = change.head }
        return changes
    }

    mutating func take(_ change: Change) { heads[change.replica] = change.head }

    var count: Int { heads.count }

    func context(of author: ReplicaID) -> CausalContext {
        CausalContext(beyond: heads.values.filter { $0.dot.replica != author })
    }
}

extension ByteWriter {
    mutating func append(changes: [BundleVector.Change]) {
        append(count: changes.count)
        for change in changes {
            append(replica: change.replica)
            append(varint: change.head?.dot.sequence ?? 0)
            if let head = change.head { append(bigEndian64: head.originPrefix) }
        }
    }
}

extension ByteReader {
    mutating func readChanges() throws(ChangeSetDecodingError) -> [BundleVector.Change] {
        let count = try readCount(ofAtLeast: ReplicaID.byteCount + 1)
        var changes: [BundleVector.Change] = []
        changes.reserveCapacity(count)
        for _ in 0..<count {
            let replica = try readReplica()
            guard changes.last.map({ $0.replica < replica }) ?? true else {
                throw failure(.malformed, "a context is not in the order of its replicas")
            }
            let sequence = try readQuantity()
            guard sequence > 0 else {
                changes.append(.init(replica: replica, head: nil))
                continue
            }
            let dot = Dot(replica: replica, sequence: sequence)
            changes.append(
                .init(replica: replica, head: .init(dot: dot, originPrefix: try readBigEndian64())))
        }
        return changes
    }
}
