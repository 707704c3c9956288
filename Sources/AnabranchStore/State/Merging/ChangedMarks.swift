import AnabranchReplication

/// The marks of records that change sets delete under `updateWins`, each decoded once, however
/// often the record is deleted.
///
/// Like ``ChangedLinks``, they are encoded after the last operation.
final class ChangedMarks {
    private unowned let transaction: StateTransaction
    private var marks: [LocalID: DeleteMark] = [:]

    /// The transaction's own marks: use ``StateTransaction/changedMarks``.
    init(_ transaction: StateTransaction) { self.transaction = transaction }

    /// The stamps that deletes of a record have seen; `nil` if there was no such delete.
    func mark(of id: LocalID) throws -> DeleteMark? {
        try marks[id] ?? transaction.deferred.mark(of: id)
    }

    /// Adds the stamps that deletes have seen.
    func add(_ stamps: [Stamp], to id: LocalID) throws {
        transaction.hasUnwrittenChanges = true
        if marks[id] == nil {
            marks[id] = try transaction.deferred.mark(of: id) ?? DeleteMark(seen: [])
        }
        marks[id]?.formUnion(stamps)
    }

    /// Drops the mark of a record that was deleted for good.
    func forget(_ id: LocalID) { if !marks.isEmpty { marks[id] = nil } }

    func write() throws {
        guard !marks.isEmpty else { return }
        for (id, mark) in marks.sorted(by: { $0.key < $1.key }) {
            try transaction.deferred.setMark(mark, of: id)
        }
        marks = [:]
    }
}
