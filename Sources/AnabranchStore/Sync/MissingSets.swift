package import AnabranchReplication

/// Sets of one replica that a zone lacks and that another set depends on.
package struct MissingSets: Hashable, Sendable {
    package let replica: ReplicaID
    /// Not empty.
    package let sequences: Range<UInt64>

    package init(replica: ReplicaID, sequences: Range<UInt64>) {
        self.replica = replica
        self.sequences = sequences
    }
}

extension Store {
    /// What is to be sent so that a zone has sets that it misses: those that this file's log has,
    /// and for each that it has not an entry that declares it lost.
    ///
    /// This file has a set that depends on them, so it had what they did. Who has them still and
    /// offers them later holds a branch of a history that forked: nothing is lost then.
    ///
    /// - Returns: The first of them, in the order of their numbers; none where the zone is known
    ///   to hold one, which is a contradiction that nothing is declared lost for.
    package func supply(_ missing: MissingSets) throws -> [LogEntry] {
        try read { reader in
            let log = ChangeLog(
                connection: reader.connection, replicas: try reader.replicas())
            var entries: [LogEntry] = []
            for sequence in missing.sequences.prefix(Self.mostSupplied) {
                let dot = Dot(replica: missing.replica, sequence: sequence)
                guard let held = try log.entry(named: dot) else {
                    entries.append(
                        LogEntry(localPosition: 0, place: nil, changeSet: ChangeSet(lost: dot)))
                    continue
                }
                guard held.place == nil else { return [] }
                entries.append(held)
            }
            return entries
        }
    }

    private static let mostSupplied = 1000
}
