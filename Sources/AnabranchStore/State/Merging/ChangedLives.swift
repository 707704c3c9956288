import AnabranchReplication

/// The records that one change set deletes under `updateWins`, or that it writes to while they are
/// dead.
///
/// Whether such a record is dead follows from all its values and from all its deletes. So it is
/// decided once, after the last operation, in however many blocks the change set names the record.
struct ChangedLives {
    struct Entry {
        let id: LocalID
        /// The record's row; `nil` if it has none.
        let row: HeldRow?
        /// The stamps that the deletes have seen, in any order; `nil` without a delete.
        fileprivate(set) var seen: [Stamp]?
        /// True if a dead record got a value.
        fileprivate(set) var isWritten = false

        fileprivate mutating func add(_ stamps: [Stamp]) {
            if seen == nil { seen = [] }
            seen?.append(contentsOf: stamps)
        }
    }

    private var entries: [Entry?] = []
    private var indices: [LocalID: Int] = [:]

    mutating func delete(_ id: LocalID, _ row: HeldRow?, seeing stamps: [Stamp]) {
        entries[index(of: id, row)]?.add(stamps)
    }

    mutating func write(toDead id: LocalID) { entries[index(of: id, nil)]?.isWritten = true }

    private mutating func index(of id: LocalID, _ row: HeldRow?) -> Int {
        if let index = indices[id] { return index }
        indices[id] = entries.count
        entries.append(Entry(id: id, row: row))
        return entries.count - 1
    }

    /// Drops a record that was deleted for good.
    mutating func forget(_ id: LocalID) {
        if let index = indices.removeValue(forKey: id) { entries[index] = nil }
    }

    /// The records in the order in which they were named first.
    var all: [Entry] { entries.compactMap { $0 } }
}
