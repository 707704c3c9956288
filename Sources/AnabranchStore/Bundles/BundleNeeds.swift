import AnabranchReplication

/// What a bundle's sets follow that is not in the bundle itself.
struct BundleNeeds {
    private var lacking: [ReplicaID: UInt64] = [:]
    private var contained: [ReplicaID: UInt64] = [:]

    /// Of each replica, the last set that whoever takes in the bundle has to hold.
    var vector: VersionVector {
        VersionVector(lacking.map { Dot(replica: $0.key, sequence: $0.value) })
    }

    /// - Parameter set: The next one, with a context that names all that its author held.
    mutating func follow(_ set: ChangeSet) {
        if set.dot.sequence > 1 {
            note(Dot(replica: set.dot.replica, sequence: set.dot.sequence - 1))
        }
        for entry in set.context.beyond { note(entry.dot) }
        contained[set.dot.replica] = set.dot.sequence
    }

    private mutating func note(_ dot: Dot) {
        guard dot.sequence > contained[dot.replica] ?? 0 else { return }
        lacking[dot.replica] = max(lacking[dot.replica] ?? 0, dot.sequence)
    }
}
