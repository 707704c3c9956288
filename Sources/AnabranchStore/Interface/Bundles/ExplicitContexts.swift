import AnabranchReplication
import AnabranchSQLite

/// Computes contexts that need no zone log: what the authors of this file's change sets had seen.
///
/// It reads the log once: the origin and the zone position of every change set. A file that began
/// with a snapshot lacks the log of what that includes and has only its heads, the *base*. So has a
/// file with a trimmed log.
///
/// An author may have seen less of the zone's log than the snapshot includes. Where it is unknown
/// which of the snapshot's change sets that was, the result says that the author had seen the whole
/// base. A receiver of the change set needs the base in any case, and no change set in the base can
/// wait for a later one. A trimmed log still tells from which position on the zone's log has change
/// sets of a replica.
struct ExplicitContexts {
    private var histories: [ReplicaID: ReplicaHistory]

    /// Reads the log.
    ///
    /// - Parameter state: The state of the file that is read.
    /// - Throws: ``StoreError`` `corrupt`.
    init(_ reader: StoreReader, _ state: StoreState, replicas: ReplicaTable, path: String) throws {
        histories = try Self.heads(reader, replicas, path)
        try Self.forEachSet(reader, replicas, path) { replica, set in
            histories[replica]?.append(set)
        }
        for replica in histories.keys { histories[replica]?.close() }
        guard let start = state.start, histories.values.contains(where: { $0.base != nil }) else {
            return
        }
        // Change sets of the snapshot that the log happens to have may be causes of those that it
        // lacks.
        for replica in histories.keys { histories[replica]?.raiseBase(to: start.position) }
        try Self.forEachFirstPlace(reader, replicas) { histories[$0]?.firstPlace = $1 }
    }

    /// The last change set held of each replica, in the log or as part of a snapshot.
    private static func heads(
        _ reader: StoreReader, _ replicas: ReplicaTable, _ path: String
    ) throws -> [ReplicaID: ReplicaHistory] {
        let statement = try reader.connection.cached(
            "SELECT ordinal, seen, origin FROM ab_head WHERE seen > 0")
        var histories: [ReplicaID: ReplicaHistory] = [:]
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { throw damaged(path) }
            let dot = Dot(replica: replica, sequence: try statement.sequence(at: 1))
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
            SELECT replica, seq, origin, \(ChangeLog.previousOrigin), server_position
            FROM ab_changeset c ORDER BY replica, seq
            """)
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)],
                let origin = Digest(bytes: statement.bytes(at: 2)),
                let previous = Digest(bytes: statement.bytes(at: 3))
            else { throw damaged(path) }
            try body(
                replica,
                ReplicaHistory.LoggedSet(
                    sequence: try statement.sequence(at: 1), origin: origin.prefix,
                    previousOrigin: previous == .zero ? nil : previous.prefix,
                    place: statement.isNull(at: 4)
                        ? .max : try statement.zonePosition(at: 4)))
        }
    }

    /// The zone positions of those replicas' first change sets that were removed from the log.
    private static func forEachFirstPlace(
        _ reader: StoreReader, _ replicas: ReplicaTable, _ body: (ReplicaID, UInt64) -> Void
    ) throws {
        let statement = try reader.connection.cached(
            "SELECT replica, server_position FROM ab_stamp WHERE seq = 1 AND server_position > 0")
        while try statement.step() {
            guard let replica = replicas[statement.int64(at: 0)] else { continue }
            body(replica, try statement.zonePosition(at: 1))
        }
    }

    private static func damaged(_ path: String) -> StoreError {
        StoreError(
            .corrupt,
            "Can't read the log of \(path) because it is damaged. Restore a backup.")
    }

    /// Everything that an author had seen. It consists of the entries that its context names, and
    /// of the heads of the zone's log up to the position that it names.
    func whole(_ context: CausalContext, of author: ReplicaID) -> CausalContext {
        guard let prefix = context.prefix, prefix.position > 0 else {
            return CausalContext(beyond: context.beyond)
        }
        let heads = histories.compactMap { replica, history in
            replica == author ? nil : history.last(upTo: prefix.position)
        }
        return CausalContext(beyond: context.beyond + heads)
    }

    /// The last change set of every replica.
    var heads: [CausalContext.Entry] { histories.values.map(\.head) }

    /// True if a bundle can contain a change set: the log has it and all later ones of its replica.
    func reaches(_ dot: Dot) -> Bool { histories[dot.replica]?.reaches(dot.sequence) ?? false }

    /// The number of each replica's change sets that a holder of some heads has.
    ///
    /// If the holder has another history of a replica, the number is zero.
    func counts(heldBy heads: [BundleBase.Head]) -> [ReplicaID: UInt64] {
        var counts: [ReplicaID: UInt64] = [:]
        for head in heads {
            counts[head.dot.replica] = histories[head.dot.replica]?.count(heldBy: head)
        }
        return counts
    }
}
