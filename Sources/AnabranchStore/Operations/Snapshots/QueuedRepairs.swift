import AnabranchReplication
import AnabranchSQLite

/// Handles the repair queue when a snapshot replaces every record: the journal gets what a repair
/// of the queued records would have recorded.
struct QueuedRepairs {
    private let transaction: StateTransaction
    private let records: [RecordID]
    /// The lowest local position of a log entry that was renamed, restamped or replaced since the
    /// queue was last empty; `nil` if there is none.
    private let since: Int64?
    /// The present state of queued records, if a verification queued them.
    private var unexplained: [CanonicalRecord] = []

    /// Reads the queued records before they are replaced, and empties the queue.
    init(_ transaction: StateTransaction) throws {
        self.transaction = transaction
        let queue = RepairQueue(connection: transaction.connection)
        since = try queue.since()
        records = try queue.first(.max).map(transaction.recordID)
        if try queue.areUnexplained() {
            let states = try RecordStates(transaction)
            unexplained = try records.compactMap { try states[$0] }
        }
        try queue.removeAll()
    }

    /// Records the losses, after the records have their final state.
    func recordLosses(in log: ChangeLog) throws {
        let states = try RecordStates(transaction)
        let journal = RepairJournal(transaction)
        for old in unexplained { try journal.record(old, replacedBy: try states[old.id]) }
        guard let since, !records.isEmpty else { return }
        try ConflictRevision(transaction, of: records, since: since)
            .run { try log.forEach(after: 0, $0) }
    }
}
