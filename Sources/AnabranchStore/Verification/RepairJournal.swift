import AnabranchReplication

/// Writes down what a verification's repair takes out of a file: values and links that the zone's
/// state does not have.
///
/// An ordinary repair does not: what lost then was noted when it first came.
struct RepairJournal {
    private let transaction: WriteTransaction
    private let journal: ConflictJournal

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        journal = ConflictJournal(transaction)
    }

    /// - Parameters:
    ///   - old: As it stood in the file.
    ///   - new: As it stands there now; `nil` where it is gone.
    func note(_ old: CanonicalRecord, replacedBy new: CanonicalRecord?) throws {
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
