import AnabranchReplication
import AnabranchSQLite

/// Renames and restamps what conflict journal entries mention: records, references inside values,
/// and the stamps of writes.
struct ConflictRewriting {
    private let transaction: StateTransaction
    private let rewriting: Rewriting

    private var connection: Connection { transaction.connection }

    init(_ transaction: StateTransaction, _ rewriting: Rewriting) {
        self.transaction = transaction
        self.rewriting = rewriting
    }

    func run() throws {
        guard !rewriting.isEmpty else { return }
        try transaction.conflicts.write()
        // All entries are read before one is written, because one entry's new stamp may be another
        // entry's old stamp.
        var changed: [JournalEntry] = []
        try JournalEntry.forEach(in: transaction) { entry in
            let new = rewritten(entry)
            if new != entry { changed.append(new) }
        }
        for entry in changed { try write(entry) }
    }

    private func rewritten(_ entry: JournalEntry) -> JournalEntry {
        var new = entry
        new.record = rewriting.rewritten(entry.record)
        func renamed(_ value: PropertyValue) -> PropertyValue {
            ListEntry.renamed(rewriting.rewritten(value), from: entry.record, to: new.record)
        }
        new.value = renamed(entry.value)
        new.winningValue = entry.winningValue.map(renamed)
        new.lost = rewriting.rewritten(entry.lost)
        new.winner = entry.winner.map { rewriting.rewritten($0) }
        // In a relationship that is its own inverse, the smaller end is the left one.
        if entry.isLink, entry.property.type == .mutualLinks, let right = new.right,
            right < new.record
        {
            new.value = .reference(new.record)
            new.record = right
        }
        return new
    }

    private func write(_ entry: JournalEntry) throws {
        let statement = try connection.cached(
            """
            UPDATE ab_conflict SET record = ?, value = ?, hlc = ?, by = ?, winner_hlc = ?,
            winner_by = ?, winner_value = ? WHERE id = ?
            """)
        let lost = try transaction.localStamp(entry.lost)
        let winner = try entry.winner.map(transaction.localStamp)
        try statement.bind(
            try transaction.localID(of: entry.record), JournalRows.tagged(entry.value),
            lost)
        if let winner {
            try statement.bind(winner, from: 5)
        } else {
            for index in 5...6 { try statement.bindNull(at: index) }
        }
        try statement.bind(entry.winningValue.map(JournalRows.tagged), entry.id, from: 7)
        try statement.run()
    }
}
