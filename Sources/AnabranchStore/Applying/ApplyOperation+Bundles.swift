import AnabranchReplication
import AnabranchSQLite

/// Sets that no log has brought: nobody has put them in order before.
extension ApplyOperation {
    enum Arrival {
        case applied
        /// The file has the save already, in whatever form.
        case held
        /// It waits for another set, or for the word of a log on a forked history.
        case waiting
    }

    private var room: WaitingRoom { WaitingRoom(connection) }

    /// Applies a set of a bundle, or keeps it until all that its author held is here.
    ///
    /// - Parameter set: With a context that names all that its author held.
    mutating func arrive(_ set: ChangeSet) throws -> Arrival {
        if try isHeld(set.origin) { return .held }
        if try isBeneathSnapshot(set) {
            try forget(set)
            return .held
        }
        if let dot = try lacking(set) {
            try wait(set, lacking: dot)
            return .waiting
        }
        try takeInBeyondLog(set)
        return .applied
    }

    /// Of two bundles, the one of a store that began with a snapshot may say more of an author
    /// than the author held: what names less comes through sooner.
    private mutating func wait(_ set: ChangeSet, lacking dot: Dot) throws {
        let waiting = try room.set(set.origin)
        guard waiting.map({ $0.context.covers(set.context) }) ?? true else { return }
        if waiting == nil { try noteOwnHistory(of: set.dot.replica) }
        try room.add(set, lacking: dot)
    }

    private func isHeld(_ origin: Digest) throws -> Bool {
        let found = try connection.firstValue(
            "SELECT 1 FROM ab_changeset WHERE origin = ?", .blob(origin.bytes))
        return found != nil
    }

    private mutating func takeInBeyondLog(_ set: ChangeSet) throws {
        // Own saves from now on say that it is held.
        let ordinal = try transaction.ordinal(of: set.dot.replica, isOwn: true)
        try takeIn(set, ordinal: ordinal, at: nil)
    }

    // MARK: - What is lacking

    /// What a set can't be applied without; `nil` where it can be applied now.
    ///
    /// That its author held a set is told by that set's dot and origin: under one dot may stand
    /// another history, which the author did not know.
    private func lacking(_ set: ChangeSet) throws -> Dot? {
        if let dot = try lackingPredecessor(of: set) { return dot }
        guard !transaction.environment.disabled.contains(.bundleCauses) else { return nil }
        if let dot = try set.context.beyond.first(where: { try !isHeld($0) })?.dot { return dot }
        return try isOfOtherTimes(set) ? set.dot : nil
    }

    /// Whether a set follows saves that this file has at other times, because they were restamped:
    /// what it names as seen would be nothing here. Its author, or whoever applied it, brings it
    /// to the zone in words that fit.
    ///
    /// Of a replica for some of whose saves a snapshot stands that can't be told.
    private func isOfOtherTimes(_ set: ChangeSet) throws -> Bool {
        guard set.kind.isSave else { return false }
        if try !isLaterThanPredecessor(set) { return true }
        var seen: Set<Stamp> = []
        try set.forEachBlock(PartTable(connection)) { seen.formUnion($0.seenStamps) }
        return try seen.contains { try $0 != set.stamp && !mayName(aSave: $0) }
    }

    private func isLaterThanPredecessor(_ set: ChangeSet) throws -> Bool {
        guard let dot = set.dot.predecessor else { return true }
        let last = try connection.firstValue(
            "SELECT hlc FROM ab_changeset WHERE replica = ? AND seq = ?",
            .integer(try transaction.ordinal(of: dot.replica)),
            .integer(Int64(bitPattern: dot.sequence)))
        guard case .integer(let timestamp)? = last else { return true }
        return UInt64(bitPattern: timestamp) < set.timestamp.rawValue
    }

    /// Perhaps one beneath a snapshot, or one that was declared lost, whose times nobody knows.
    private func mayName(aSave stamp: Stamp) throws -> Bool {
        guard let ordinal = transaction.replicas.ordinal(of: stamp.replica) else { return false }
        let found = try connection.firstValue(
            "SELECT 1 FROM ab_changeset WHERE replica = ? AND hlc = ?", .integer(ordinal),
            .integer(Int64(bitPattern: stamp.timestamp.rawValue)))
        guard found == nil else { return true }
        let known = try connection.firstValue(
            "SELECT count(*) FROM ab_changeset WHERE replica = ? AND seq BETWEEN 1 AND ? "
                + "AND kind <> ?", .integer(ordinal),
            .integer(Int64(bitPattern: try transaction.head(of: ordinal).sequence)),
            .integer(Int64(LogEntryKind.lost.rawValue)))
        return try known != .integer(Int64(transaction.head(of: ordinal).sequence))
    }

    private func lackingPredecessor(of set: ChangeSet) throws -> Dot? {
        let dot = set.dot
        let ordinal = transaction.replicas.ordinal(of: dot.replica)
        let head = try ordinal.map(transaction.head) ?? (0, .zero)
        // Another set is held under its name: without a log's word nobody renames.
        guard dot.sequence > head.sequence else { return dot }
        guard dot.sequence == head.sequence + 1 else {
            return Dot(replica: dot.replica, sequence: dot.sequence - 1)
        }
        if set.previousOrigin == head.origin { return nil }
        guard dot.sequence == 1, let first = set.rewrittenFrom else {
            return Dot(replica: dot.replica, sequence: max(dot.sequence - 1, 1))
        }
        // A renamed history continues the one that it left.
        if try isHeld(set.previousOrigin) { return nil }
        let last = Dot(replica: first.replica, sequence: max(first.sequence - 1, 1))
        let entry = CausalContext.Entry(dot: last, originPrefix: set.previousOrigin.prefix)
        return try isHeldBySnapshot(entry) ? nil : last
    }

    private func isHeld(_ entry: CausalContext.Entry) throws -> Bool {
        guard let ordinal = transaction.replicas.ordinal(of: entry.dot.replica) else {
            return false
        }
        let statement = try connection.cached(
            "SELECT origin, kind FROM ab_changeset WHERE replica = ? AND seq = ?")
        try statement.bind(ordinal, at: 1)
        try statement.bind(Int64(bitPattern: entry.dot.sequence), at: 2)
        guard try statement.step() else { return try isHeldBySnapshot(entry) }
        defer { statement.reset() }
        return Digest(bytes: statement.bytes(at: 0))?.prefix == entry.originPrefix
            || statement.int64(at: 1) == Int64(LogEntryKind.lost.rawValue) || entry.namesLoss
    }

    // MARK: - What a snapshot stands for

    /// Whether the log has no entry of a set because a snapshot stands for it. Of another branch's
    /// set that can be told only where the name is the last one of its replica.
    private func isHeldBySnapshot(_ entry: CausalContext.Entry) throws -> Bool {
        guard transaction.state.start != nil,
            let ordinal = transaction.replicas.ordinal(of: entry.dot.replica)
        else { return false }
        let head = try transaction.head(of: ordinal)
        guard entry.dot.sequence == head.sequence else {
            return entry.dot.sequence < head.sequence
        }
        return head.origin.prefix == entry.originPrefix || entry.namesLoss
    }

    /// Whether what the snapshot with which this file began stands for is known to hold a set: it
    /// is the last one of its replica that is held, or what follows it in the log names it.
    private func isBeneathSnapshot(_ set: ChangeSet) throws -> Bool {
        guard transaction.state.start != nil,
            let ordinal = transaction.replicas.ordinal(of: set.dot.replica)
        else { return false }
        let head = try transaction.head(of: ordinal)
        guard set.dot.sequence < head.sequence else {
            return set.dot.sequence == head.sequence && set.origin == head.origin
        }
        let statement = try connection.cached(
            "SELECT previous_origin FROM ab_changeset WHERE replica = ? AND seq = ?")
        try statement.bind(ordinal, at: 1)
        try statement.bind(Int64(bitPattern: set.dot.sequence + 1), at: 2)
        guard try statement.step() else { return false }
        defer { statement.reset() }
        return statement.bytes(at: 0) == set.origin.bytes
    }

    /// Lets go of a set that a snapshot stands for, and of those before it that wait.
    private mutating func forget(_ set: ChangeSet) throws {
        try room.remove(set.origin)
        arrived.append((set.dot, set.origin))
        var origin = set.previousOrigin
        while let earlier = try room.set(origin) {
            try room.remove(origin)
            arrived.append((earlier.dot, origin))
            beneathSnapshotCount += 1
            origin = earlier.previousOrigin
        }
    }

    // MARK: - What has waited

    /// Applies what has waited for sets that have come in this transaction.
    mutating func releaseWaiting() throws {
        guard try !room.isEmpty else { return }
        if hasRewritten { try reconsiderAll() }
        try releaseFollowers()
    }

    /// Looks at everything that waits.
    mutating func reconsiderAll() throws {
        hasRewritten = false
        for origin in try room.origins() {
            if let set = try room.set(origin) { try reconsider(set) }
        }
        try releaseFollowers()
    }

    private mutating func releaseFollowers() throws {
        while let last = arrived.popLast() {
            try room.remove(last.origin)
            for set in try room.sets(lacking: last.dot) { try reconsider(set) }
        }
    }

    private mutating func reconsider(_ set: ChangeSet) throws {
        if try isHeld(set.origin) { return try room.remove(set.origin) }
        if try isBeneathSnapshot(set) { return try forget(set) }
        if let dot = try lacking(set) { return try room.move(set, lacking: dot) }
        try takeInBeyondLog(set)
    }
}
