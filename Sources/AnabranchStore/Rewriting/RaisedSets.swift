import AnabranchReplication

/// Change sets that get later times, as far as others follow them.
struct RaisedSets {
    /// Of each replica, with ascending numbers and times.
    private var sets: [ReplicaID: [(sequence: UInt64, timestamp: HybridTimestamp)]] = [:]

    init(_ dot: Dot, to timestamp: HybridTimestamp) { note(dot, at: timestamp) }

    /// - Parameter dot: Behind those of its replica that were noted before.
    mutating func note(_ dot: Dot, at timestamp: HybridTimestamp) {
        sets[dot.replica, default: []].append((dot.sequence, timestamp))
    }

    /// The latest time of those that a set follows: earlier ones of its replica, and what its
    /// author held.
    func floor(of set: ChangeSet) -> HybridTimestamp? {
        let causes = set.context.beyond.map(\.dot) + [set.dot]
        return causes.compactMap { latest(upTo: $0) }.max()
    }

    private func latest(upTo dot: Dot) -> HybridTimestamp? {
        sets[dot.replica]?.last { $0.sequence <= dot.sequence }?.timestamp
    }
}
