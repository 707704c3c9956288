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
        let new = new.map(RecordIndex.init)
        var kept: [WireProperty: Set<PropertyValue>] = [:]
        for cell in new?.record.cells ?? [] {
            kept[cell.property, default: []].insert(cell.value)
        }
        for cell in old.cells where !cell.value.isNull {
            guard kept[cell.property]?.contains(cell.value) != true else { continue }
            let winner = new?.latest(of: cell.property)
            try journal.record(
                .init(
                    kind: .replacedByRepair, record: id, entity: old.entity,
                    property: cell.property, value: cell.value,
                    lost: try transaction.localStamp(cell.stamp),
                    winner: try winner.map { try transaction.localStamp($0.stamp) },
                    winningValue: winner?.value))
        }
        for link in old.links {
            guard new?.tags(of: link.property, to: link.right).isEmpty != false,
                let tag = link.tags.greatest
            else { continue }
            try journal.record(
                .init(
                    kind: .replacedByRepair, record: id, entity: old.entity,
                    property: link.property, value: .reference(link.right),
                    lost: try transaction.localStamp(tag)))
        }
    }
}
