import AnabranchReplication
import AnabranchSQLite

/// Says in words that need no log what the authors of this file's sets held.
///
/// Reads the log once: the origin of every set, and where the zone's log has it.
struct WholeContexts {
    /// The sets of one replica, from its first on.
    private struct History {
        var origins: [UInt64] = []
        /// Where the zone's log has them, ascending as the sets are; `max` where it is not known.
        var places: [UInt64] = []

        /// Whatever stands before a set of the zone's log is in it, too, though this file may not
        /// have been told yet.
        mutating func fillPlaces() {
            for index in places.indices.dropLast().reversed() {
                places[index] = min(places[index], places[index + 1])
            }
        }
    }

    private var histories: [ReplicaID: History] = [:]

    /// - Throws: ``StoreError`` `logTooShort` where this file's log does not reach back to the
    ///   first set of each replica.
    init(_ reader: StoreReader, replicas: ReplicaTable, path: String) throws {
        let statement = try reader.connection.cached(
            "SELECT replica, seq, origin, server_position FROM ab_changeset ORDER BY replica, seq")
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { throw StoreError(.corrupt, "Can't read the log of \(path): it is damaged.") }
            var history = histories.removeValue(forKey: replica) ?? History()
            guard statement.int64(at: 1) == history.origins.count + 1 else {
                throw Self.tooShort(path)
            }
            history.origins.append(origin.prefix)
            history.places.append(
                statement.isNull(at: 3) ? .max : UInt64(bitPattern: statement.int64(at: 3)))
            histories[replica] = history
        }
        for replica in histories.keys { histories[replica]?.fillPlaces() }
    }

    private static func tooShort(_ path: String) -> StoreError {
        StoreError(
            .logTooShort,
            "Can't write a bundle of \(path) because its log does not reach back to the first "
                + "change set of every replica; write it of a store that has the whole log.",
            path: path)
    }

    /// All that an author held: what its context names beyond the zone's log, and the heads of
    /// the log up to the position that it names.
    func whole(_ context: CausalContext, of author: ReplicaID) -> CausalContext {
        guard let prefix = context.prefix, prefix.position > 0 else {
            return CausalContext(beyond: context.beyond)
        }
        var entries = context.beyond
        for (replica, history) in histories where replica != author {
            let count = history.places.partition(upTo: prefix.position)
            guard count > 0 else { continue }
            entries.append(head(of: replica, count, history))
        }
        return CausalContext(beyond: entries)
    }

    private func head(
        of replica: ReplicaID, _ sequence: Int, _ history: History
    ) -> CausalContext.Entry {
        CausalContext.Entry(
            dot: Dot(replica: replica, sequence: UInt64(sequence)),
            originPrefix: history.origins[sequence - 1])
    }

    /// The last set of every replica.
    var heads: [CausalContext.Entry] {
        histories.map { head(of: $0.key, $0.value.origins.count, $0.value) }
    }

    /// How many sets of each replica somebody has who holds some heads.
    ///
    /// Of a replica whose history is another one there, nothing is taken for held.
    func counts(heldBy heads: [BundleBase.Head]) -> [ReplicaID: UInt64] {
        var counts: [ReplicaID: UInt64] = [:]
        for head in heads {
            guard let history = histories[head.dot.replica] else { continue }
            let known = min(head.dot.sequence, UInt64(history.origins.count))
            let isSame =
                known < head.dot.sequence || known == 0
                || head.originPrefix.map { $0 == history.origins[Int(known) - 1] } ?? true
            if isSame { counts[head.dot.replica] = known }
        }
        return counts
    }
}

extension [UInt64] {
    /// How many of ascending numbers are not beyond a limit.
    fileprivate func partition(upTo limit: UInt64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
