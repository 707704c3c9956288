import AnabranchReplication

extension ApplyOperation {
    /// Replaces an entry of this file's log by the form that the zone's log has of it (invariant
    /// 3). Each of the two forms may be a save or a void.
    ///
    /// - Parameters:
    ///   - set: The form in the zone's log, which has the origin of the held entry.
    ///   - place: The position of the entry in the zone's log.
    ///   - position: The local position of the held entry.
    /// - Throws: ``StoreError`` `forked` if the zone reported another position before.
    mutating func replaceByZoneForm(
        _ set: ChangeSet, at place: CausalContext.Prefix, heldAt position: Int64
    ) throws {
        guard let held = try log.entry(at: position), held.place == nil || held.place == place
        else {
            throw StoreError(
                .forked,
                "Can't apply \(set.dot) because the zone's log contained it in another form "
                    + "before.",
                path: transaction.store.path)
        }
        // The log treats the entry from here on like one that the zone does not have.
        if held.place != nil { try ZonePositions(transaction).forget(ofSetAt: position) }
        if !held.changeSet.kind.isSave || !set.kind.isSave {
            return try exchange(held, for: set)
        }
        try move(held.changeSet, to: set.dot, set.timestamp, adopting: set)
    }

    /// Gives a change set, and those that follow it, the dot and the timestamp of the zone's log.
    ///
    /// - Parameter given: The form in the zone's log; `nil` if only its name is known.
    mutating func move(
        _ set: ChangeSet, to dot: Dot, _ timestamp: HybridTimestamp, adopting given: ChangeSet?
    ) throws {
        let set = try freeDot(dot, for: set)
        var rewriting = Rewriting()
        try name(set, dot, timestamp, in: &rewriting)
        try moveSuccessors(of: set, to: dot, in: &rewriting)
        try raiseFollowers(of: set, to: timestamp, in: &rewriting)
        try rewrite(rewriting, adopting: given)
    }

    /// Removes an entry that waited in the log from there, because the zone's form of it is applied
    /// now. A repair may have named the entry's position.
    mutating func forgetWaiting(at position: Int64, for set: ChangeSet) throws {
        if let held = try log.entry(at: position)?.changeSet, held.dot != set.dot {
            try moveWaiting(held, to: set.dot, set.timestamp)
        }
        if let held = try log.entry(at: position) { try replaceByVoid(held, set) }
        try log.forget(position)
    }

    /// Gives a change set that waits in the log, and those that follow it, the dot and the
    /// timestamp of the zone's log.
    private mutating func moveWaiting(_ set: ChangeSet, to dot: Dot, _ timestamp: HybridTimestamp)
        throws
    {
        var rewriting = Rewriting()
        try name(set, dot, timestamp, in: &rewriting)
        try moveSuccessors(of: set, to: dot, in: &rewriting)
        try raiseFollowers(of: set, to: timestamp, in: &rewriting)
        try rewriteWaiting(rewriting)
    }

    /// Renames a branch that waits in the log, if it has a change set under the dot of a change set
    /// that is applied now.
    ///
    /// Since a snapshot with the other branch came, the log has had change sets that continue a
    /// history which the rows do not have.
    mutating func renameWaiting(_ dot: Dot) throws {
        guard let held = try log.entry(named: dot) else { return }
        guard held.changeSet.kind != .lost else { return try log.forget(held.localPosition) }
        try rewriteWaiting(try branch(from: try log.beginning(of: held).changeSet))
    }

    private mutating func rewriteWaiting(_ rewriting: Rewriting) throws {
        var log = LogRewriting(transaction, rewriting, adopting: nil)
        try log.runInLog()
        arrivals.markRewritten()
    }

    /// Gives a change set that the zone does not hold the least time after a given one, and later
    /// times to the change sets that follow it.
    mutating func raise(_ set: ChangeSet, above floor: HybridTimestamp) throws {
        let later = HybridTimestamp(rawValue: floor.rawValue + 1)
        transaction.state.clock.observe(later)
        try move(set, to: set.dot, later, adopting: nil)
    }

    /// Restamps change sets that follow a change set which now has a later timestamp, so that they
    /// stay later than it. The zone's log has that timestamp because another holder has restamped
    /// the change set.
    private func raiseFollowers(
        of set: ChangeSet, to timestamp: HybridTimestamp, in rewriting: inout Rewriting
    ) throws {
        guard timestamp > set.timestamp else { return }
        var raised = RaisedChangeSets(set.dot, to: timestamp)
        try log.forEach(log.unplacedPositions()) { entry in
            let follower = entry.changeSet
            guard follower.dot != set.dot, let floor = raised.floor(of: follower),
                follower.timestamp <= floor
            else { return }
            let later = HybridTimestamp(rawValue: floor.rawValue + 1)
            raised.add(follower.dot, at: later)
            try name(follower, rewriting[follower.dot]?.dot ?? follower.dot, later, in: &rewriting)
            transaction.state.clock.observe(later)
        }
    }

    /// Frees the dot that the zone's log has for a change set. An entry of this file under that dot
    /// that was declared lost is the same change set; any other history is renamed.
    ///
    /// - Returns: The change set, which may have been part of the renamed history.
    private mutating func freeDot(_ dot: Dot, for set: ChangeSet) throws -> ChangeSet {
        guard dot != set.dot, let other = try log.entry(named: dot) else { return set }
        guard other.changeSet.kind == .lost, other.place == nil,
            try transaction.canReplaceLost(other, by: set.origin)
        else {
            try renameBranch(dot)
            return try log.position(of: set).flatMap { try log.entry(at: $0) }?.changeSet ?? set
        }
        try log.forget(other.localPosition)
        let ordinal = try transaction.ordinal(of: dot.replica)
        if try transaction.head(of: ordinal).sequence == dot.sequence {
            try transaction.setHead(of: ordinal, sequence: dot.sequence, origin: set.origin)
        }
        return set
    }

    /// Exchanges a save that this file holds for the void in the zone's log, a void for the save,
    /// or a void for one with another reason.
    private mutating func exchange(_ held: StoredLogEntry, for set: ChangeSet) throws {
        let old = held.changeSet
        if old.dot != set.dot || old.timestamp != set.timestamp {
            try move(old, to: set.dot, set.timestamp, adopting: nil)
        }
        guard let entry = try log.entry(at: held.localPosition) else { return }
        guard try !replaceByVoid(entry, set) else { return }
        try transaction.replace(
            entry, by: set, ordinal: try transaction.ordinal(of: set.dot.replica))
        if set.kind.isSave {
            try RejectedSaves(connection: connection).remove(withOrigin: set.origin)
            try RepairQueue(connection: connection)
                .add(try transaction.touched(by: set), since: held.localPosition)
        }
    }

    /// Renames this file's branch of a forked history: the zone's log has another change set under
    /// its dot. The branch that is not in the log gets another replica ID (invariant 2).
    mutating func renameBranch(_ dot: Dot) throws {
        guard Mechanism.forkNaming.isOn, let held = try log.entry(named: dot), held.place == nil
        else {
            throw StoreError(
                .forked,
                "Can't apply \(dot) because the zone's log contained another change set under "
                    + "that name.",
                path: transaction.store.path)
        }
        try rewrite(try branch(from: held.changeSet), adopting: nil)
    }

    /// The new names of a branch, which follow from the dot and the origin of its first change set.
    private func branch(from set: ChangeSet) throws -> Rewriting {
        let first = Dot(replica: ReplicaID(ofForkAt: set.dot, origin: set.origin), sequence: 1)
        var rewriting = Rewriting()
        try name(set, first, set.timestamp, in: &rewriting)
        try nameSuccessors(of: set, as: first, in: &rewriting)
        return rewriting
    }

    /// Renames the successors of a change set that moves to another replica's history. They follow
    /// it there, unless that history already has a successor; then they become a branch of their
    /// own.
    private func moveSuccessors(
        of set: ChangeSet, to new: Dot, in rewriting: inout Rewriting
    ) throws {
        guard set.dot.replica != new.replica else { return }
        let next = Dot(replica: new.replica, sequence: new.sequence + 1)
        guard try isTaken(next), let first = try successor(of: set) else {
            return try nameSuccessors(of: set, as: new, in: &rewriting)
        }
        let branch = ReplicaID(ofForkAt: next, origin: first.origin)
        let base = Dot(replica: branch, sequence: 0)
        try nameSuccessors(of: set, as: base, in: &rewriting)
    }

    /// True if this file holds a change set under a dot, in its log or by a snapshot.
    private func isTaken(_ dot: Dot) throws -> Bool {
        let ordinal = try transaction.ordinal(of: dot.replica)
        return try transaction.head(of: ordinal).sequence >= dot.sequence
            || log.entry(named: dot) != nil
    }

    private func nameSuccessors(
        of set: ChangeSet, as new: Dot, in rewriting: inout Rewriting
    ) throws {
        var (last, dot) = (set, new)
        while let next = try successor(of: last) {
            dot = Dot(replica: dot.replica, sequence: dot.sequence + 1)
            try name(next, dot, next.timestamp, in: &rewriting)
            last = next
        }
    }

    /// The change set that continues another in the log, and that the zone does not hold. After a
    /// gap, the log may have those of another branch.
    private func successor(of set: ChangeSet) throws -> ChangeSet? {
        let dot = Dot(replica: set.dot.replica, sequence: set.dot.sequence + 1)
        guard let next = try log.entry(named: dot), next.place == nil else { return nil }
        let isOfLoss = set.kind == .lost || next.changeSet.kind == .lost
        return isOfLoss || next.changeSet.previousOrigin == set.origin ? next.changeSet : nil
    }

    private func name(
        _ set: ChangeSet, _ dot: Dot, _ timestamp: HybridTimestamp,
        in rewriting: inout Rewriting
    ) throws {
        try rewriting.rename(
            set, to: Rewriting.Name(dot: dot, timestamp: timestamp), PartTable(connection))
        if set.kind == .void, dot.replica != set.dot.replica {
            try nameRejectedRecords(of: set.dot, dot.replica, in: &rewriting)
        }
    }

    /// Renames the records of a rejected save, which are those that no other change set of its
    /// history inserted. A log that begins with a snapshot does not tell which these are.
    private func nameRejectedRecords(
        of dot: Dot, _ new: ReplicaID, in rewriting: inout Rewriting
    ) throws {
        guard transaction.state.start == nil else { return }
        var kept: Set<RecordID> = []
        for sequence in 1..<dot.sequence {
            let earlier = Dot(replica: dot.replica, sequence: sequence)
            guard rewriting[earlier] == nil, let entry = try log.entry(named: earlier) else {
                continue
            }
            try entry.changeSet.forEachBlock(PartTable(connection)) { block in
                if case .insert(let rows) = block { kept.formUnion(rows.records) }
            }
        }
        rewriting.renameRejectedRecords(of: dot.replica, to: new, keeping: kept)
    }

    private mutating func rewrite(_ rewriting: Rewriting, adopting set: ChangeSet?) throws {
        var log = LogRewriting(transaction, rewriting, adopting: set)
        try log.run(&changes)
        arrivals.markRewritten()
    }
}
