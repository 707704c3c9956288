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

    /// A discarded write, and the write or the delete that it lost to.
    struct Loss {
        let write: RecordHistories.Write
        let author: RecordHistories.Author
        let kind: ConflictEntry.Kind
        let winner: Stamp
        /// `nil` for a delete.
        let winningValue: PropertyValue?
    }

    /// The discarded writes: those that do not show and that no later author had seen, and those
    /// that lost at their time, before a later author replaced the outcome.
    func losses(_ log: ChangeLog) throws -> [Loss] {
        let lasting = try lastingLosses(log)
        let known = Set(lasting.map(\.author.position))
        return try lasting + passingLosses(log).filter { !known.contains($0.author.position) }
    }

    /// The writes that do not show, and that no author of a later write or of a delete had seen.
    private func lastingLosses(_ log: ChangeLog) throws -> [Loss] {
        guard let standing else { return [] }
        let deleter = deleters.min { $0.position < $1.position }
        var losses: [Loss] = []
        try forEachFromLast { write, author, seen in
            guard isHidden(write, by: standing), try !seen.includes(author, log) else { return }
            losses.append(
                Loss(
                    write: write, author: author, kind: kind(of: author),
                    winner: deleter?.stamp ?? standing.stamp,
                    winningValue: deleter == nil ? standing.value : nil))
        }
        return losses.reversed()
    }

    /// Visits the writes that the log still has, the last one first, each with what the authors of
    /// later writes and of later deletes had seen.
    private func forEachFromLast(
        _ body: (RecordHistories.Write, RecordHistories.Author, SeenWrites) throws -> Void
    ) throws {
        var seen = SeenWrites()
        for write in writes where write.author == nil { seen.addAuthor(of: write.stamp) }
        let logged = writes.compactMap { write in write.author.map { (write: write, author: $0) } }
        // A save may write a register twice, and has not seen its own write then.
        var later = (deleters + logged.map { $0.author }).sorted { $0.position < $1.position }[...]
        for (write, author) in logged.reversed() {
            while let last = later.last, last.position > author.position {
                seen.add(last)
                later.removeLast()
            }
            try body(write, author, seen)
        }
    }

    /// The writes that lose to a concurrent write if the log is merged in its order.
    ///
    /// A later author has seen the outcome, and its write may be rejected afterwards. So the loss
    /// is recorded when it happens, as a merge does.
    private func passingLosses(_ log: ChangeLog) throws -> [Loss] {
        guard rule.loses, rule != .keepBoth else { return [] }
        let end = deleters.map(\.position).min() ?? .max
        var losses: [Loss] = []
        var held: (write: RecordHistories.Write, author: RecordHistories.Author)?
        for write in writes {
            guard let author = write.author, author.position < end else { continue }
            let arriving = (write: write, author: author)
            guard let former = held else {
                held = arriving
                continue
            }
            let outcome = Register.outcome(
                ofWriting: write.stamp, over: former.write.stamp, by: rule
            ) { (write.value, former.write.value) }
            let (winner, loser) = outcome == .replaces ? (arriving, former) : (former, arriving)
            held = winner
            guard winner.write.value != loser.write.value,
                try !winner.author.hasSeen(loser.author, log)
            else { continue }
            losses.append(
                Loss(
                    write: loser.write, author: loser.author, kind: .concurrentWrite,
                    winner: winner.write.stamp, winningValue: winner.write.value))
        }
        return losses
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

    private func kind(of author: RecordHistories.Author) -> ConflictEntry.Kind {
        guard let first = deleters.map(\.position).min() else { return .concurrentWrite }
        return first < author.position ? .writeToDeleted : .deletedWhileWritten
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
