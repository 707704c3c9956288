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
        func renamed(_ value: Value) -> Value {
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
        try statement.bind(try transaction.localID(of: entry.record), at: 1)
        try statement.bind(JournalRows.tagged(entry.value), at: 2)
        try statement.bind(Int64(bitPattern: lost.timestamp), at: 3)
        try statement.bind(lost.ordinal, at: 4)
        if let winner {
            try statement.bind(Int64(bitPattern: winner.timestamp), at: 5)
            try statement.bind(winner.ordinal, at: 6)
        } else {
            for index in 5...6 { try statement.bindNull(at: index) }
        }
        try statement.bind(entry.winningValue.map(JournalRows.tagged), at: 7)
        try statement.bind(entry.id, at: 8)
        try statement.run()
    }
}
