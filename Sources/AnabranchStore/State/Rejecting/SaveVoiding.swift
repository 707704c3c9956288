import AnabranchReplication
import AnabranchSQLite

/// Turns saves of this file's log into voids, within one transaction.
///
/// Their content moves to the table of rejected saves, together with what later saves did to the
/// records that they inserted. Those records are removed at once. Every other record that the saves
/// changed waits for repair, until the zone has sent its state without them (invariant 15).
struct SaveVoiding {
    /// An entry of the log, and the void that replaces it under the entry's own dot.
    typealias Pair = (entry: StoredLogEntry, void: ChangeSet)

    private let transaction: StateTransaction
    private let rejected: RejectedSaves
    private let log: ChangeLog
    /// The row of the rejected save that inserted each record.
    private var insertedRecords: [RecordID: Int64] = [:]
    private var touched: Set<LocalID> = []

    init(_ transaction: StateTransaction) {
        self.transaction = transaction
        rejected = RejectedSaves(connection: transaction.connection)
        log = transaction.log
    }

    /// Replaces entries by voids.
    ///
    /// - Parameter pairs: The pairs in the order of this file's log.
    mutating func run(_ pairs: [Pair], _ changes: inout ChangeCollector) throws {
        guard let first = pairs.first else { return }
        let now = transaction.environment.wallMilliseconds()
        for (entry, void) in pairs {
            try transaction.replace(
                entry, by: void, ordinal: try transaction.ordinal(of: void.dot.replica))
            try park(entry.changeSet, rejectedBy: void, at: now)
        }
        try parkConsequences(after: first.entry.localPosition, at: now)
        guard Mechanism.voidRepair.isOn else { return }
        try RepairQueue(connection: transaction.connection)
            .add(touched, since: first.entry.localPosition)
        try removeBorn(&changes)
    }

    /// Keeps the content of a save that is not in this file's log, so that no record has its
    /// effects.
    mutating func keep(_ set: ChangeSet, rejectedBy void: ChangeSet) throws {
        guard try !rejected.has(set.origin) else { return }
        try park(set, rejectedBy: void, at: transaction.environment.wallMilliseconds())
    }

    private mutating func park(
        _ set: ChangeSet, rejectedBy void: ChangeSet, at milliseconds: Int64
    ) throws {
        try rejected.removeConsequences(withOrigin: void.origin)
        let row = try rejected.add(
            set, void.rejection ?? SaveRejection(.malformed, ""), at: milliseconds)
        transaction.recordRejection(row)
        // A change set of a later format does not tell what it changes, and was not applied.
        do {
            try set.forEachBlock(PartTable(transaction.connection)) { block in
                touched.formUnion(try block.touchedRecords.map(transaction.localID))
                for record in block.insertedRecords { insertedRecords[record] = row }
            }
        } catch is ChangeSetDecodingError {}
    }

    private func parkConsequences(after position: Int64, at milliseconds: Int64) throws {
        guard !insertedRecords.isEmpty else { return }
        let born = insertedRecords
        try log.forEach(after: position) { entry in
            var causes: Set<Int64> = []
            do {
                try entry.changeSet.forEachTouchedRecord(PartTable(transaction.connection)) {
                    if let cause = born[$0] { causes.insert(cause) }
                }
            } catch is ChangeSetDecodingError { return }
            for cause in causes.sorted() {
                try rejected.add(
                    entry.changeSet, SaveRejection(.causeRejected, ""), cause: cause,
                    at: milliseconds)
            }
        }
    }

    /// Removes the records that only the rejected saves inserted; no other replica has them.
    private func removeBorn(_ changes: inout ChangeCollector) throws {
        guard !insertedRecords.isEmpty else { return }
        var repair = try RecordRepair(
            transaction, replacing: insertedRecords.keys.sorted().map { RecordImage(id: $0) },
            replaying: [])
        try repair.run(&changes)
    }
}

extension SaveRejection.Code {
    /// The code of a later save's row in the table of rejected saves; it is used only there.
    static let causeRejected = SaveRejection.Code(rawValue: "cause-rejected")
}
