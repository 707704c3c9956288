import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Writes change sets into a bundle, which another store can import without a server.
    ///
    /// If this store began with a snapshot, the bundle lacks the change sets that the snapshot
    /// includes; the receiver needs them from elsewhere. The exported change sets are made durable
    /// in this store before the bundle is written (invariant 11). The bundle appears at its path
    /// only when it is complete. It may replace an older bundle, but no other file.
    ///
    /// - Parameters:
    ///   - base: The change sets that the receiver already holds; they are omitted.
    ///   - keyRing: The key ring; its newest key seals the bundle. `nil` writes plain text.
    /// - Throws: ``StoreError`` `alreadyExists`, `cannotOpen`, `diskFull`, `notHeld`, `corrupt`; a
    ///   previous file at the path is unchanged. `notDurable`: the new bundle exists, but a power
    ///   failure may still remove it.
    package func exportBundle(
        to path: String, lacking base: BundleBase = .nothing,
        sealedWith keyRing: BundleKeyRing? = nil
    ) throws -> BundleFile.Summary {
        try checkBundle(mayTakePlaceOf: path)
        var output = try BundleOutput(to: path, sealedWith: keyRing)
        let (header, needs, setCount, greatest) = try read { reader in
            // Everything in this snapshot was committed before the following flush.
            let state = try StoreState.read(reader.connection)
            try flushBeforePush()
            return try write(reader, state, lacking: base, to: &output)
        }
        try output.finish()
        return BundleFile.Summary(
            header: header, prerequisites: needs.vector, setCount: setCount,
            greatestTimestamp: greatest,
            byteCount: output.byteCount, seal: output.seal)
    }

    private func write(
        _ reader: StoreReader, _ state: StoreState, lacking base: BundleBase,
        to output: inout BundleOutput
    ) throws -> (BundleHeader, BundlePrerequisites, Int, HybridTimestamp) {
        let replicas = try reader.replicas()
        guard let sender = replicas[state.ordinal] else {
            throw StoreError(
                .corrupt,
                "Can't use \(path) because its replica ID is missing. Restore a backup.")
        }
        let contexts = try ExplicitContexts(reader, state, replicas: replicas, path: path)
        let log = ChangeLog(connection: reader.connection, replicas: replicas)
        let left = try counts(leftOutBy: base, contexts, log, replicas)
        let header = BundleHeader(
            sender: sender, wallMilliseconds: environment.wallMilliseconds(),
            heads: contexts.heads)
        var encoder = BundleEncoder()
        let parts = PartTable(reader.connection)
        try output.write(encoder.begin(header, hasParts: try log.hasParts()))
        var needs = BundlePrerequisites()
        var setCount = 0
        var greatest = HybridTimestamp.zero
        try log.forEach(after: 0) { entry in
            var set = entry.changeSet
            guard contexts.reaches(set.dot), set.dot.sequence > left[set.dot.replica] ?? 0 else {
                return
            }
            set.context = contexts.whole(set.context, of: set.dot.replica)
            for part in try set.parts() {
                try parts.checkIsWhole(part)
                try output.write(encoder.begin(part))
                try parts.forEachRightPiece(of: part) {
                    try output.write(encoder.append(piece: $0))
                }
            }
            try output.write(encoder.append(set))
            needs.follow(set)
            setCount += 1
            greatest = max(greatest, set.timestamp)
        }
        try output.write(encoder.finish())
        return (header, needs, setCount, greatest)
    }

    /// For each replica, the last change set that the bundle omits.
    private func counts(
        leftOutBy base: BundleBase, _ contexts: ExplicitContexts, _ log: ChangeLog,
        _ replicas: ReplicaTable
    ) throws -> [ReplicaID: UInt64] {
        switch base {
        case .nothing: return [:]
        case .heads(let heads): return contexts.counts(heldBy: heads)
        case .replica(let replica):
            guard let head = contexts.heads.first(where: { $0.dot.replica == replica }) else {
                throw StoreError(
                    .notHeld,
                    "Can't omit the change sets that \(replica) holds because \(path) has no save "
                        + "of that replica.",
                    path: path)
            }
            // A save that is part of a snapshot no longer tells what the replica held.
            let last = try log.entry(named: head.dot)?.changeSet
            let held =
                (last.map { contexts.whole($0.context, of: replica).beyond } ?? []) + [head]
            return contexts.counts(
                heldBy: held.map { .init(dot: $0.dot, originPrefix: $0.originPrefix) })
        }
    }
}
