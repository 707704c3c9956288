import AnabranchReplication

/// Change sets that get later timestamps, and the lower bounds that follow for other change sets.
struct RaisedChangeSets {
    /// For each replica, change sets with ascending sequence numbers and timestamps.
    private var sets: [ReplicaID: [(sequence: UInt64, timestamp: HybridTimestamp)]] = [:]

    init(_ dot: Dot, to timestamp: HybridTimestamp) { add(dot, at: timestamp) }

    /// Adds a change set.
    ///
    /// - Parameter dot: A change set after those of its replica that were added before.
    mutating func add(_ dot: Dot, at timestamp: HybridTimestamp) {
        sets[dot.replica, default: []].append((dot.sequence, timestamp))
    }

    /// The latest timestamp among the change sets that a change set follows: earlier ones of its
    /// replica, and its causes.
    func floor(of set: ChangeSet) -> HybridTimestamp? {
        let causes = set.context.beyond.map(\.dot) + [set.dot]
        return causes.compactMap { cause in
            sets[cause.replica]?.last { $0.sequence <= cause.sequence }?.timestamp
        }.max()
    }
}
