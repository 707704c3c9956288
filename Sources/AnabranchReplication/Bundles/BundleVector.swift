/// The context of the current change set of a bundle, updated from one change set to the next.
///
/// A context that needs no log names every replica, so its size grows with their number. Change
/// sets that were saved one after the other have nearly the same context, so each stores only the
/// difference from the one before it. The entry of a change set's own replica has no meaning: its
/// author held all earlier change sets of that replica by definition.
struct BundleVector {
    private var heads: [ReplicaID: CausalContext.Entry] = [:]

    /// A replica that has another head than in the context before, or no head any more.
    struct Change {
        var replica: ReplicaID
        /// `nil` if the author held no change set of the replica.
        var head: CausalContext.Entry?
    }

    /// Replaces the vector by the context of the next change set.
    ///
    /// - Returns: The differences from the context before, ordered by replica ID.
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

    /// Applies one difference that was read from a bundle.
    mutating func take(_ change: Change) { heads[change.replica] = change.head }

    var count: Int { heads.count }

    /// The context of a change set of this replica.
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
                throw failure(.malformed, "a causal context is not ordered by replica ID")
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
