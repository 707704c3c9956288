/// The rows of one table of a zone that a transaction has read or changed, by a key.
///
/// The changes since ``keep()`` can be undone.
final class DraftTable<Key: Hashable, Row>: DraftPart {
    struct Entry {
        /// The row as the transaction leaves it so far; `nil` if there is none.
        var row: Row?
        /// True if the storage holds a row under the key.
        fileprivate var isStored: Bool
        /// True if the storage holds another row.
        fileprivate var isChanged: Bool
    }

    struct Changes {
        var inserted: [(key: Key, row: Row)] = []
        var updated: [(key: Key, row: Row)] = []
        var removed: [Key] = []
    }

    private var entries: [Key: Entry] = [:]
    /// The keys of changed entries in the order of their first change.
    private var changedKeys: [Key] = []
    /// The number of these at the last `keep`.
    private var keptCount = 0
    private var undone: [(key: Key, before: Entry?)] = []
    private var repeated: [(key: Key, row: Row?)] = []
    private let memory: DraftMemory
    private let size: (Row) -> Int

    /// The approximate memory of an entry beside the bytes of its row.
    private static var bytesPerEntry: Int { 128 }

    /// - Parameters:
    ///   - memory: The memory of a draft, to which that of the table is added.
    ///   - size: Returns the bytes of a row.
    init(_ memory: DraftMemory, size: @escaping (Row) -> Int = { _ in 0 }) {
        self.memory = memory
        self.size = size
    }

    /// The entry of a key; `nil` if the row was neither read nor changed.
    subscript(key: Key) -> Entry? { entries[key] }

    /// True if changes wait to be written.
    var hasChanges: Bool { !changedKeys.isEmpty }

    /// Adds a row that was read; `nil` if the storage holds none.
    func take(_ row: Row?, of key: Key) {
        guard entries[key] == nil else { return }
        set(Entry(row: row, isStored: row != nil, isChanged: false), at: key)
    }

    /// Changes a row; `nil` removes it. If the storage may hold a row, it was read before.
    func put(_ row: Row?, at key: Key) {
        let before = entries[key]
        undone.append((key, before))
        if before?.isChanged != true { changedKeys.append(key) }
        set(Entry(row: row, isStored: before?.isStored ?? false, isChanged: true), at: key)
    }

    private func set(_ entry: Entry, at key: Key) {
        entries[key] = entry
        memory.byteCount += bytes(of: entry)
    }

    private func bytes(of entry: Entry?) -> Int {
        entry.map { Self.bytesPerEntry + ($0.row.map(size) ?? 0) } ?? 0
    }

    /// Returns the rows that have to be inserted and updated and the keys of those that have to be
    /// removed, and counts all of them as written.
    func takeChanges() -> Changes {
        keep()
        var changes = Changes()
        for key in changedKeys {
            guard let place = entries.index(forKey: key) else { continue }
            let entry = entries.values[place]
            switch (entry.row, entry.isStored) {
            case (let row?, false): changes.inserted.append((key, row))
            case (let row?, true): changes.updated.append((key, row))
            case (nil, true): changes.removed.append(key)
            case (nil, false): break
            }
            entries.values[place].isStored = entry.row != nil
            entries.values[place].isChanged = false
        }
        changedKeys = []
        keptCount = 0
        return changes
    }

    // MARK: DraftPart

    func keep() {
        keptCount = changedKeys.count
        for (_, before) in undone { memory.byteCount -= bytes(of: before) }
        undone.removeAll(keepingCapacity: true)
    }

    func undo() {
        for (key, before) in undone.reversed() {
            memory.byteCount -= bytes(of: entries[key])
            entries[key] = before
        }
        changedKeys.removeLast(changedKeys.count - keptCount)
        undone.removeAll(keepingCapacity: true)
    }

    func stepBack() {
        repeated = undone.map { ($0.key, entries[$0.key]?.row) }
        undo()
    }

    func stepForward() {
        for (key, row) in repeated { put(row, at: key) }
        repeated = []
    }

    func forget() {
        keep()
        for entry in entries.values { memory.byteCount -= bytes(of: entry) }
        entries = [:]
        changedKeys = []
        keptCount = 0
    }
}

/// The functions of a table that do not depend on the type of its rows.
protocol DraftPart: AnyObject {
    /// Keeps all changes so far: they are not undone any more.
    func keep()
    /// Undoes the changes since ``keep()``.
    func undo()
    /// Undoes the changes since ``keep()`` until `stepForward`.
    func stepBack()
    func stepForward()
    /// Forgets what was read and what was written.
    func forget()
}
