import AnabranchReplication
import AnabranchSQLite

/// Debts that a snapshot settles, since it takes the place of every record: the journal gets what
/// a repair of them would have written there.
struct OwedRecords {
    private let transaction: WriteTransaction
    private let records: [RecordID]
    /// Where in this file's log the first set stands that got another form.
    private let since: Int64?
    /// What is there of them, where nobody knows how it came there.
    private var unexplained: [CanonicalRecord] = []

    /// Reads what is owed, before the records go, and forgives it.
    init(_ transaction: WriteTransaction) throws {
        self.transaction = transaction
        let debts = Debts(connection: transaction.connection)
        since = try debts.since()
        records = try debts.first(.max).map(transaction.recordID)
        if try debts.areUnexplained() {
            let states = try StatesOfRecords(transaction)
            unexplained = try records.compactMap { try states[$0] }
        }
        try debts.settleAll()
    }

    /// Notes what is lost now that the records are as they are to be.
    func note(in log: ChangeLog) throws {
        let states = try StatesOfRecords(transaction)
        let journal = RepairJournal(transaction)
        for old in unexplained { try journal.note(old, replacedBy: try states[old.id]) }
        guard let since, !records.isEmpty else { return }
        try ConflictRevision(transaction, of: records, since: since)
            .run { try log.forEach(after: 0, $0) }
    }
}
