/// The context of the current change set of a bundle, updated from one change set to the next.
///
/// A context that needs no log names every replica, so its size grows with their number. Change
/// sets that were saved one after the other have nearly the same context, so each stores only the
/// difference from the one before it. The entry of a change set's own replica has no meaning: its
/// author held all earlier change sets of that replica by definition.
struct BundleVector {
    /// The heads, ordered by replica ID. Contexts share this memory until a head changes.
    private var heads: [CausalContext.Entry] = []

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
        guard context.beyond != heads else { return [] }
        var changes: [Change] = []
        var held = heads[...]
        func remove(before replica: ReplicaID?) {
            while let head = held.first, replica.map({ head.dot.replica < $0 }) ?? true {
                held.removeFirst()
                guard head.dot.replica != author else { continue }
                changes.append(Change(replica: head.dot.replica, head: nil))
            }
        }
        for entry in context.beyond where entry.dot.replica != author {
            remove(before: entry.dot.replica)
            if let head = held.first, head.dot.replica == entry.dot.replica {
                held.removeFirst()
                guard head != entry else { continue }
            }
            changes.append(Change(replica: entry.dot.replica, head: entry))
        }
        remove(before: nil)
        take(changes)
        return changes
    }

    /// Applies differences that are ordered by replica ID.
    mutating func take(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        var merged: [CausalContext.Entry] = []
        merged.reserveCapacity(heads.count + changes.count)
        var held = heads[...]
        for change in changes {
            while let head = held.first, head.dot.replica <= change.replica {
                held.removeFirst()
                if head.dot.replica < change.replica { merged.append(head) }
            }
            if let head = change.head { merged.append(head) }
        }
        heads = merged + held
    }

    var count: Int { heads.count }

    /// The context of a change set of this replica.
    func context(of author: ReplicaID) -> CausalContext {
        let all = CausalContext(prefix: nil, ordered: heads)
        guard all.last(of: author) != nil else { return all }
        return CausalContext(prefix: nil, ordered: heads.filter { $0.dot.replica != author })
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
