import AnabranchReplication

/// All writes of one register, and the deletes of its record.
struct Contest {
    /// In the order of this file's log; those that the log no longer has at the end.
    let writes: [RecordHistories.Write]
    let deleters: [RecordHistories.Author]
    let rule: MergeRule

    /// What of it is before a position of this file's log.
    func before(_ position: Int64) -> Contest {
        Contest(
            writes: writes.filter { $0.author.map { $0.position < position } ?? false },
            deleters: deleters.filter { $0.position < position }, rule: rule)
    }

    /// The write that shows while the record is there.
    private var standing: RecordHistories.Write? {
        writes.reduce(nil) { held, write in
            guard let held else { return write }
            let outcome = Register.outcome(ofWriting: write.stamp, over: held.stamp, by: rule) {
                (write.value, held.value)
            }
            return outcome == .takes ? write : held
        }
    }

    /// Writes that do not show, and that nobody had seen who wrote another one or deleted the
    /// record.
    func lost(
        _ log: ChangeLog
    ) throws -> [(write: RecordHistories.Write, author: RecordHistories.Author)] {
        guard let standing else { return [] }
        var lost: [(RecordHistories.Write, RecordHistories.Author)] = []
        for (index, write) in writes.enumerated() {
            guard let author = write.author, isHidden(write, by: standing) else { continue }
            // Whoever comes next has most probably seen it.
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
        // Values beside each other lose nothing to each other.
        if rule == .keepBoth { return isDeleted }
        let isStanding = write.stamp == standing.stamp
        // Nor does what the greatest of all exceeds.
        guard rule.loses else { return isDeleted && isStanding }
        return isDeleted || !isStanding && write.value != standing.value
    }

    /// What a lost write has lost against.
    ///
    /// - Returns: No value where that is a delete.
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
    /// Whether one who wrote had seen an earlier write. Of whom the log no longer tells, this is
    /// known where both are of one replica.
    fileprivate func hasSeen(_ other: RecordHistories.Write, _ log: ChangeLog) throws -> Bool {
        guard let author, let earlier = other.author else {
            return stamp.replica == other.stamp.replica && stamp.timestamp > other.stamp.timestamp
        }
        return try author.hasSeen(earlier, log)
    }
}

extension RecordHistories.Author {
    /// Whether one who saved held an earlier set of the log.
    func hasSeen(_ other: RecordHistories.Author, _ log: ChangeLog) throws -> Bool {
        if position <= other.position { return false }
        if dot.replica == other.dot.replica { return true }
        if context.names(other.dot, at: other.place) { return true }
        return try isRewritten && log.continues(dot.replica, behind: other.dot)
    }
}
