import AnabranchReplication
import AnabranchSQLite

/// Says in words that need no log what the authors of this file's sets held.
///
/// Reads the log once: the origin of every set, and where the zone's log has it. A file that began
/// with a snapshot has no log of what that stands for, only its heads, the *base*: where an author
/// held a shorter part of the zone's log than the snapshot does, nobody can tell which of its sets
/// those were, so the author is said to have held them all. Whoever takes the set in needs the
/// base anyway, and nothing in the base can have waited for a set that came later.
struct WholeContexts {
    private var histories: [ReplicaID: ReplicaHistory]

    /// - Parameter state: Of the file that is read.
    /// - Throws: ``StoreError`` `corrupt`.
    init(
        _ reader: StoreReader, _ state: StoreState, replicas: ReplicaTable, path: String
    ) throws {
        histories = try Self.heads(reader, replicas, path)
        try Self.forEachSet(reader, replicas, path) { replica, set in
            histories[replica]?.append(set)
        }
        for replica in histories.keys { histories[replica]?.close() }
        guard let start = state.start, histories.values.contains(where: { $0.base != nil }) else {
            return
        }
        // Sets of the snapshot that the log happens to have may be causes of those that it lacks.
        for replica in histories.keys { histories[replica]?.raiseBase(to: start.position) }
    }

    /// The last set that is held of each replica, in the log or beneath a snapshot.
    private static func heads(
        _ reader: StoreReader, _ replicas: ReplicaTable, _ path: String
    ) throws -> [ReplicaID: ReplicaHistory] {
        let statement = try reader.connection.cached(
            "SELECT ordinal, seen, origin FROM ab_replica WHERE seen > 0")
        var histories: [ReplicaID: ReplicaHistory] = [:]
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { throw damaged(path) }
            let dot = Dot(replica: replica, sequence: UInt64(bitPattern: statement.int64(at: 1)))
            histories[replica] = ReplicaHistory(
                head: CausalContext.Entry(dot: dot, originPrefix: origin.prefix))
        }
        return histories
    }

    private static func forEachSet(
        _ reader: StoreReader, _ replicas: ReplicaTable, _ path: String,
        _ body: (ReplicaID, ReplicaHistory.LoggedSet) throws -> Void
    ) throws {
        let statement = try reader.connection.cached(
            """
            SELECT replica, seq, origin, previous_origin, server_position FROM ab_changeset
            ORDER BY replica, seq
            """)
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2)),
                let previous = Digest(bytes: statement.bytes(at: 3))
            else { throw damaged(path) }
            try body(
                replica,
                ReplicaHistory.LoggedSet(
                    sequence: UInt64(bitPattern: statement.int64(at: 1)), origin: origin.prefix,
                    previousOrigin: previous == .zero ? nil : previous.prefix,
                    place: statement.isNull(at: 4)
                        ? .max : UInt64(bitPattern: statement.int64(at: 4))))
        }
    }

    private static func damaged(_ path: String) -> StoreError {
        StoreError(.corrupt, "Can't read the log of \(path): it is damaged.")
    }

    /// All that an author held: what its context names beyond the zone's log, and the heads of
    /// the log up to the position that it names.
    func whole(_ context: CausalContext, of author: ReplicaID) -> CausalContext {
        guard let prefix = context.prefix, prefix.position > 0 else {
            return CausalContext(beyond: context.beyond)
        }
        let heads = histories.compactMap { replica, history in
            replica == author ? nil : history.last(upTo: prefix.position)
        }
        return CausalContext(beyond: context.beyond + heads)
    }

    /// The last set of every replica.
    var heads: [CausalContext.Entry] { histories.values.map(\.head) }

    /// Whether a bundle can hold a set: the log has it, and all of its replica's behind it.
    func reaches(_ dot: Dot) -> Bool { histories[dot.replica]?.reaches(dot.sequence) ?? false }

    /// How many sets of each replica somebody has who holds some heads.
    ///
    /// Of a replica whose history is another one there, nothing is taken for held.
    func counts(heldBy heads: [BundleBase.Head]) -> [ReplicaID: UInt64] {
        var counts: [ReplicaID: UInt64] = [:]
        for head in heads {
            counts[head.dot.replica] = histories[head.dot.replica]?.count(heldBy: head)
        }
        return counts
    }
}
