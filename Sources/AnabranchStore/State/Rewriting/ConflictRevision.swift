import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Updates the journal after records were repaired because change sets of the log were renamed,
/// restamped or replaced by voids.
///
/// No merge saw what such a change discards. A value that its author had seen until then may now
/// lose to another, or a value that a rejected save had replaced may lose to a third. So losses are
/// computed from the log's entries about the records, as ``RegisterHistory/losses(_:)`` says.
///
/// Existing entries stay. Entries for values that show again are removed. If a void had won, the
/// entry names the write that wins now.
///
/// If the log no longer has a change set, the values in the rows are used instead.
struct ConflictRevision {
    private let transaction: StateTransaction
    private let records: Set<RecordID>
    private let since: Int64
    private let journal: ConflictRecorder
    private var present: [RecordID: RecordIndex] = [:]

    private var connection: Connection { transaction.connection }
    private var log: ChangeLog { transaction.log }

    /// Prepares the revision of records.
    ///
    /// - Parameters:
    ///   - records: The records, already in their final state with all their links.
    ///   - since: The local position of the first changed change set. Losses among earlier change
    ///     sets were recorded when they happened, and may have been purged since.
    init(_ transaction: StateTransaction, of records: [RecordID], since: Int64) throws {
        self.transaction = transaction
        self.records = Set(records)
        self.since = since
        journal = transaction.journal
        let states = try RecordStates(transaction)
        for record in records { present[record] = try states[record].map(RecordIndex.init) }
    }

    /// Runs the revision.
    ///
    /// - Parameter forEachEntry: Reads the log, oldest first, at least all entries that ever
    ///   changed the records.
    func run(_ forEachEntry: ((StoredLogEntry) throws -> Void) throws -> Void) throws {
        guard Mechanism.journalRevision.isOn else { return }
        var histories = try RecordHistories(
            of: records, transaction.schema, PartTable(connection), forEachEntry)
        for index in present.values { histories.complete(with: index.record) }
        let losses = try discardedWrites(histories) + discardedLinks(histories)
        let names = Dictionary(
            losses.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        try transaction.conflicts.write()
        let states = try RecordStates(transaction)
        var noted: Set<DiscardedWriteName> = []
        var entries: [JournalEntry] = []
        try JournalEntry.forEach(in: transaction) { entry in
            if records.contains(entry.record) || entry.right.map(records.contains) == true {
                entries.append(entry)
            }
        }
        for entry in entries where entry.kind != .replacedByRepair {
            if try shows(entry, states) {
                try connection.run("DELETE FROM ab_conflict WHERE id = ?", .integer(entry.id))
            } else {
                noted.insert(DiscardedWriteName(entry))
            }
            if let loss = names[DiscardedWriteName(entry)] { try correctWinner(of: entry, loss) }
        }
        noted.formUnion(
            entries.filter { $0.kind == .replacedByRepair }.map(DiscardedWriteName.init))
        let new = losses.filter { $0.isNew && !noted.contains($0.name) }
        for loss in new.sorted(by: { $0.position < $1.position }) {
            try journal.record(try entry(for: loss))
        }
    }

    // MARK: - Losses

    /// The name of a discarded write, or of a discarded link of a save.
    private struct DiscardedWriteName: Hashable {
        let record: RecordID
        let property: WireProperty
        let right: RecordID?
        let stamp: Stamp

        init(_ entry: JournalEntry) {
            record = entry.record
            property = entry.property
            right = entry.right
            stamp = entry.lost
        }

        init(_ record: RecordID, _ property: WireProperty, _ right: RecordID?, _ stamp: Stamp) {
            self.record = record
            self.property = property
            self.right = right
            self.stamp = stamp
        }
    }

    private struct DiscardedValue {
        /// Its property is the one under which the journal has the write.
        let name: DiscardedWriteName
        let property: WireProperty
        let kind: ConflictEntry.Kind
        let entity: WireName
        let value: PropertyValue
        let winner: Stamp
        let winningValue: PropertyValue?
        /// The local position of the discarded write.
        let position: Int64
        let isNew: Bool
    }

    private func discardedWrites(_ histories: RecordHistories) throws -> [DiscardedValue] {
        var losses: [DiscardedValue] = []
        for (register, writes) in histories.writes {
            let deleters = histories.deleters[register.record] ?? []
            // A record that a rejected save had inserted is in another table.
            guard !deleters.isEmpty || present[register.record] != nil else { continue }
            let contest = RegisterHistory(
                writes: writes, deleters: deleters, rule: register.property.rule)
            let lost = try contest.losses(log)
            let old =
                lost.isEmpty
                ? [] : Set(try contest.before(since).losses(log).map(\.author.position))
            for loss in lost {
                let (write, position) = (loss.write, loss.author.position)
                let property = register.property
                let shown = transaction.schema.shown(
                    write.value, in: property, of: register.record, write.entity)
                losses.append(
                    DiscardedValue(
                        name: DiscardedWriteName(register.record, shown.property, nil, write.stamp),
                        property: property, kind: loss.kind, entity: write.entity,
                        value: write.value, winner: loss.winner,
                        winningValue: loss.winningValue, position: position,
                        isNew: !old.contains(position)))
            }
        }
        return losses
    }

    private func discardedLinks(_ histories: RecordHistories) throws -> [DiscardedValue] {
        var losses: [DiscardedValue] = []
        for (link, adds) in histories.adds {
            let deleters =
                (histories.deleters[link.left] ?? []) + (histories.deleters[link.right] ?? [])
            guard let deleter = deleters.min(by: { $0.position < $1.position }) else { continue }
            let removed = histories.removedTags[link] ?? []
            for add in adds where !removed.contains(add.stamp) {
                guard let author = add.author,
                    try !deleters.contains(where: { try $0.hasSeen(author, log) })
                else { continue }
                let isOld = author.position < since && deleter.position < since
                losses.append(
                    DiscardedValue(
                        name: DiscardedWriteName(link.left, link.property, link.right, add.stamp),
                        property: link.property,
                        kind: .linkToDeleted, entity: add.entity, value: add.value,
                        winner: deleter.stamp, winningValue: nil, position: author.position,
                        isNew: !isOld))
            }
        }
        return losses
    }

    // MARK: - Journal entries

    private func shows(_ entry: JournalEntry, _ states: RecordStates) throws -> Bool {
        guard
            let index = try present[entry.record]
                ?? states[entry.record].map(RecordIndex.init)
        else { return false }
        if let right = entry.right {
            return index.tags(of: entry.property, to: right).contains(entry.lost)
        }
        // A counter that is held includes everything that was added to it.
        if entry.property.rule == .counter { return true }
        let cells = index.cells(named: entry.property.name)
        if let former = cells.former(of: entry.property, in: entry.record) {
            return former.stamp == entry.lost
        }
        return index.holds(entry.property, writtenBy: entry.lost)
    }

    private func correctWinner(of entry: JournalEntry, _ loss: DiscardedValue) throws {
        guard let winner = entry.winner, winner != loss.winner, try isVoid(winner) else { return }
        let local = try transaction.localStamp(loss.winner)
        let author = try journal.author(of: local)
        try connection.run(
            """
            UPDATE ab_conflict SET kind = ?, winner_hlc = ?, winner_by = ?, winner_author = ?,
            winner_value = ? WHERE id = ?
            """, .integer(loss.kind.rawValue), .integer(Int64(bitPattern: local.timestamp)),
            .integer(local.ordinal), try transaction.conflicts.number(ofAuthor: author),
            loss.winningValue.map { .blob(JournalRows.tagged($0)) } ?? .null,
            .integer(entry.id))
    }

    private func isVoid(_ stamp: Stamp) throws -> Bool {
        let local = try transaction.localStamp(stamp)
        let logged = LoggedStamps(connection: connection)
        guard let position = try logged.position(of: local) ?? logged.waiting(local) else {
            return false
        }
        let kind = try connection.firstValue(
            "SELECT kind FROM ab_changeset WHERE position = ?", .integer(position))
        return kind == .integer(Int64(LogEntryKind.void.rawValue))
    }

    private func entry(for loss: DiscardedValue) throws -> DiscardedWrite {
        DiscardedWrite(
            kind: loss.kind, record: try transaction.localID(of: loss.name.record),
            entity: loss.entity, property: loss.property, value: loss.value,
            lost: try transaction.localStamp(loss.name.stamp),
            winner: try transaction.localStamp(loss.winner), winningValue: loss.winningValue)
    }
}
