package import AnabranchReplication

/// Change sets of one replica that a zone lacks and on which another change set depends.
package struct MissingChangeSets: Hashable, Sendable {
    package let replica: ReplicaID
    /// The sequence numbers; never empty.
    package let sequences: Range<UInt64>

    package init(replica: ReplicaID, sequences: Range<UInt64>) {
        self.replica = replica
        self.sequences = sequences
    }
}

extension Store {
    /// The entries to push so that a zone gets change sets that it lacks. For a change set that
    /// this file's log no longer has, the entry declares it lost.
    ///
    /// This file has a change set that depends on them, so it already has their effects. A replica
    /// that still has one and pushes it later holds a branch of a forked history, so nothing is
    /// lost then.
    ///
    /// - Returns: The first entries in the order of their numbers. The result is empty if the zone
    ///   is known to hold one of them: nothing is declared lost because of a contradiction.
    package func supply(_ missing: MissingChangeSets) throws -> [StoredLogEntry] {
        try read { reader in
            let log = ChangeLog(
                connection: reader.connection, replicas: try reader.replicas())
            var entries: [StoredLogEntry] = []
            for sequence in missing.sequences.prefix(Self.maximumSupplied) {
                let dot = Dot(replica: missing.replica, sequence: sequence)
                guard let held = try log.entry(named: dot) else {
                    entries.append(
                        StoredLogEntry(
                            localPosition: 0, place: nil, changeSet: ChangeSet(lost: dot)))
                    continue
                }
                guard held.place == nil else { return [] }
                entries.append(held)
            }
            return entries
        }
    }

    private static let maximumSupplied = 1000
}
