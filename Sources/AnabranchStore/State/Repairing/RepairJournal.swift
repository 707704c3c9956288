import AnabranchReplication

/// Records what a verification's repair removes from a file: values and links that the zone's state
/// does not have.
///
/// An ordinary repair records nothing, because its losses were recorded when they happened.
struct RepairJournal {
    private let transaction: StateTransaction
    private let journal: ConflictRecorder

    init(_ transaction: StateTransaction) {
        self.transaction = transaction
        journal = transaction.journal
    }

    /// Records the differences of one record.
    ///
    /// - Parameters:
    ///   - old: The record's state before the repair.
    ///   - new: The record's state after the repair; `nil` if it was removed.
    func record(_ old: CanonicalRecord, replacedBy new: CanonicalRecord?) throws {
        let id = try transaction.localID(of: old.id)
        for cell in old.cells where !cell.value.isNull {
            let winners = new?.cells.filter { $0.property == cell.property } ?? []
            guard !winners.contains(where: { $0.value == cell.value }) else { continue }
            let winner = winners.max { $0.stamp < $1.stamp }
            try journal.record(
                .init(
                    kind: .replacedByRepair, record: id, entity: old.entity,
                    property: cell.property, value: cell.value,
                    lost: try transaction.localStamp(cell.stamp),
                    winner: try winner.map { try transaction.localStamp($0.stamp) },
                    winningValue: winner?.value))
        }
        for link in old.links {
            let isHeld = new?.links.contains {
                $0.property == link.property && $0.right == link.right
            }
            guard isHeld != true, let tag = link.tags.greatest else { continue }
            try journal.record(
                .init(
                    kind: .replacedByRepair, record: id, entity: old.entity,
                    property: link.property, value: .reference(link.right),
                    lost: try transaction.localStamp(tag)))
        }
    }
}
