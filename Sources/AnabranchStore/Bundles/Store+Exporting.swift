import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Writes change sets into a file, from which another store takes them in without a server.
    ///
    /// A file that began with a snapshot has no sets of what that stands for: whoever gets the
    /// bundle needs that from elsewhere. What leaves the file is first made durable (invariant
    /// 11). The bundle appears under its name when it is whole, where an older bundle may be, and
    /// nothing else.
    ///
    /// - Parameters:
    ///   - base: What whoever gets it holds already: that is left out.
    ///   - keyRing: Its newest key seals the file; without one it is plain text.
    /// - Throws: ``StoreError`` `alreadyExists`, `cannotOpen`, `diskFull`, `notHeld`, `corrupt`;
    ///   what stood under the name before is still there. After `notDurable` the bundle is.
    package func exportBundle(
        to path: String, lacking base: BundleBase = .nothing,
        sealedWith keyRing: BundleKeyRing? = nil
    ) throws -> BundleFile.Summary {
        try checkBundle(mayTakePlaceOf: path)
        var output = try BundleOutput(to: path, sealedWith: keyRing)
        let (header, needs, setCount) = try read { reader in
            // What this snapshot shows was committed before the flush that follows.
            let state = try StoreState.read(reader.connection)
            try makeDurable()
            return try write(reader, state, lacking: base, to: &output)
        }
        try output.finish()
        return BundleFile.Summary(
            header: header, needs: needs.vector, setCount: setCount,
            byteCount: output.byteCount, seal: output.seal)
    }

    private func write(
        _ reader: StoreReader, _ state: StoreState, lacking base: BundleBase,
        to output: inout BundleOutput
    ) throws -> (BundleHeader, BundleNeeds, Int) {
        let replicas = try reader.replicas()
        guard let sender = replicas[state.ordinal] else {
            throw StoreError(.corrupt, "Can't use \(path) because it names no replica.")
        }
        let contexts = try WholeContexts(reader, state, replicas: replicas, path: path)
        let log = ChangeLog(connection: reader.connection, replicas: replicas)
        let left = try counts(leftOutBy: base, contexts, log, replicas)
        let header = BundleHeader(
            sender: sender, wallMilliseconds: environment.wallMilliseconds(),
            heads: contexts.heads)
        var encoder = BundleEncoder()
        let parts = PartTable(reader.connection)
        try output.write(encoder.begin(header, hasParts: try log.hasParts()))
        var needs = BundleNeeds()
        var setCount = 0
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
        }
        try output.write(encoder.finish())
        return (header, needs, setCount)
    }

    /// Of each replica, up to which set nothing goes into the bundle.
    private func counts(
        leftOutBy base: BundleBase, _ contexts: WholeContexts, _ log: ChangeLog,
        _ replicas: ReplicaTable
    ) throws -> [ReplicaID: UInt64] {
        switch base {
        case .nothing: return [:]
        case .heads(let heads): return contexts.counts(heldBy: heads)
        case .replica(let replica):
            guard let head = contexts.heads.first(where: { $0.dot.replica == replica }) else {
                throw StoreError(
                    .notHeld,
                    "Can't leave out what \(replica) holds because \(path) has no save of it.",
                    path: path)
            }
            // What it held at a save beneath a snapshot is not known.
            let last = try log.entry(named: head.dot)?.changeSet
            let held =
                (last.map { contexts.whole($0.context, of: replica).beyond } ?? []) + [head]
            return contexts.counts(
                heldBy: held.map { .init(dot: $0.dot, originPrefix: $0.originPrefix) })
        }
    }
}
