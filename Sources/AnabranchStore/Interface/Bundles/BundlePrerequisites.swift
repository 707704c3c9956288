import AnabranchReplication

/// The change sets that a bundle's change sets follow and that the bundle does not contain.
struct BundlePrerequisites {
    private var lacking: [ReplicaID: UInt64] = [:]
    private var contained: [ReplicaID: UInt64] = [:]

    /// For each replica, the last change set that the receiver of the bundle must hold.
    var vector: VersionVector {
        VersionVector(lacking.map { Dot(replica: $0.key, sequence: $0.value) })
    }

    /// Adds the next change set of the bundle.
    ///
    /// - Parameter set: A change set with a context that names everything its author had seen.
    mutating func follow(_ set: ChangeSet) {
        if set.dot.sequence > 1 {
            add(Dot(replica: set.dot.replica, sequence: set.dot.sequence - 1))
        }
        for entry in set.context.beyond { add(entry.dot) }
        contained[set.dot.replica] = set.dot.sequence
    }

    private mutating func add(_ dot: Dot) {
        guard dot.sequence > contained[dot.replica] ?? 0 else { return }
        lacking[dot.replica] = max(lacking[dot.replica] ?? 0, dot.sequence)
    }
}
