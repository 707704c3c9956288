import AnabranchReplication

/// All writes of one register, and the deletes of its record.
struct RegisterHistory {
    /// The writes in the order of this file's log; writes that the log no longer has are at the
    /// end.
    let writes: [RecordHistories.Write]
    let deleters: [RecordHistories.Author]
    let rule: MergeRule

    /// The part of the contest before a local position.
    func before(_ position: Int64) -> RegisterHistory {
        RegisterHistory(
            writes: writes.filter { $0.author.map { $0.position < position } ?? false },
            deleters: deleters.filter { $0.position < position }, rule: rule)
    }

    /// The write that shows as long as the record exists.
    private var standing: RecordHistories.Write? {
        writes.reduce(nil) { held, write in
            guard let held else { return write }
            let outcome = Register.outcome(ofWriting: write.stamp, over: held.stamp, by: rule) {
                (write.value, held.value)
            }
            return outcome == .replaces ? write : held
        }
    }

    /// The writes that do not show, and that no author of a later write or of a delete had seen.
    func lost(
        _ log: ChangeLog
    ) throws -> [(write: RecordHistories.Write, author: RecordHistories.Author)] {
        guard let standing else { return [] }
        var lost: [(RecordHistories.Write, RecordHistories.Author)] = []
        for (index, write) in writes.enumerated() {
            guard let author = write.author, isHidden(write, by: standing) else { continue }
            // The author of the next write has most probably seen it, so the search ends soon.
            guard try !writes[(index + 1)...].contains(where: { try $0.hasSeen(write, log) }),
                try !deleters.contains(where: { try $0.hasSeen(author, log) })
            else { continue }
            lost.append((write, author))
        }
        return lost
    }

    private func isHidden(
        _ write: RecordHistories.Write, by standing: RecordHistories.Write
    ) -> Bool {
        let isDeleted = !deleters.isEmpty
        // Values that stay side by side do not lose to each other.
        if rule == .keepBoth { return isDeleted }
        let isStanding = write.stamp == standing.stamp
        // Under a rule by which no write loses, a write is only lost if it shows and the record is
        // deleted.
        guard rule.loses else { return isDeleted && isStanding }
        return isDeleted || !isStanding && write.value != standing.value
    }

    /// The write or delete against which a discarded write lost.
    ///
    /// - Returns: A `nil` value for a delete.
    func winner(over author: RecordHistories.Author) -> (stamp: Stamp, value: Value?)? {
        if let first = deleters.min(by: { $0.position < $1.position }) {
            return (first.stamp, nil)
        }
        return standing.map { ($0.stamp, $0.value) }
    }

    func kind(of author: RecordHistories.Author) -> Conflict.Kind {
        guard let first = deleters.map(\.position).min() else { return .concurrentWrite }
        return first < author.position ? .writeToDeleted : .deletedWhileWritten
    }
}

extension RecordHistories.Write {
    /// True if the author of this write had seen an earlier write. If the log no longer has one of
    /// the two, this is known only for writes of one replica.
    fileprivate func hasSeen(_ other: RecordHistories.Write, _ log: ChangeLog) throws -> Bool {
        guard let author, let earlier = other.author else {
            return stamp.replica == other.stamp.replica && stamp.timestamp > other.stamp.timestamp
        }
        return try author.hasSeen(earlier, log)
    }
}

extension RecordHistories.Author {
    /// True if the author of a change set had seen an earlier change set of the log.
    func hasSeen(_ other: RecordHistories.Author, _ log: ChangeLog) throws -> Bool {
        if position <= other.position { return false }
        if dot.replica == other.dot.replica { return true }
        if context.names(other.dot, at: other.place?.position) { return true }
        return try isRewritten && log.continues(dot.replica, behind: other.dot)
    }
}
