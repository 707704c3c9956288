import AnabranchReplication

/// The change sets that some authors had seen together.
///
/// Whether one of many authors has seen a change set is answered without asking each of them.
struct SeenWrites {
    /// The greatest prefix of a zone's log that an author had seen.
    private var prefix: UInt64?
    /// The last change set of each replica that an author had seen beyond a prefix.
    private var beyond: [ReplicaID: UInt64] = [:]
    /// The replicas of the authors, each of which had seen its own earlier change sets.
    private var replicas: Set<ReplicaID> = []
    /// The replicas of authors with rewritten change sets, which may continue another history.
    private var rewritten: Set<ReplicaID> = []
    /// The latest writes of replicas of which the log no longer has the change sets.
    private var timestamps: [ReplicaID: HybridTimestamp] = [:]

    mutating func add(_ author: RecordHistories.Author) {
        let context = author.context
        prefix = [prefix, context.prefix?.position].compactMap { $0 }.max()
        for entry in context.beyond {
            let replica = entry.dot.replica
            beyond[replica] = max(beyond[replica] ?? 0, entry.dot.sequence)
        }
        replicas.insert(author.dot.replica)
        if author.isRewritten { rewritten.insert(author.dot.replica) }
    }

    /// Adds the author of a write of which the log no longer has the change set.
    mutating func addAuthor(of stamp: Stamp) {
        timestamps[stamp.replica] = max(timestamps[stamp.replica] ?? .zero, stamp.timestamp)
    }

    /// True if one of the authors had seen a change set that is earlier in the log than theirs.
    func includes(_ other: RecordHistories.Author, _ log: ChangeLog) throws -> Bool {
        let (dot, stamp) = (other.dot, other.stamp)
        if replicas.contains(dot.replica) { return true }
        if let prefix, let place = other.place, place.position <= prefix { return true }
        if let sequence = beyond[dot.replica], sequence >= dot.sequence { return true }
        if let time = timestamps[stamp.replica], time > stamp.timestamp { return true }
        return try rewritten.contains { try log.continues($0, behind: dot) }
    }
}
