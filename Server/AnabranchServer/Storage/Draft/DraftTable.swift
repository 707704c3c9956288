/// The rows of one table of a zone that a transaction has read or changed, by a key.
///
/// The changes since ``keep()`` can be undone.
final class DraftTable<Key: Hashable, Row>: DraftPart {
    struct Entry {
        fileprivate let key: Key
        /// The row as the transaction leaves it so far; `nil` if there is none.
        var row: Row?
        /// True if the storage holds a row under the key.
        fileprivate var isStored: Bool
        /// True if the storage holds another row.
        fileprivate var isChanged: Bool
    }

    struct Changes<Value> {
        var inserted: [Value] = []
        var updated: [Value] = []
        var removed: [Key] = []
    }

    /// The places of the keys in `entries`.
    private var places: [Key: Int] = [:]
    /// The entries, in the order in which their keys were first named. One that was undone has no
    /// place any more.
    private var entries: [Entry] = []
    /// The places of changed entries in the order of their first change.
    private var changed: [Int] = []
    /// The number of these at the last `keep`.
    private var keptCount = 0
    /// The changed entries that were there before, as they were. The others are undone by removing
    /// them.
    private var undone: [(place: Int, before: Entry)] = []
    private var undoneBytes = 0
    private var repeated: [(key: Key, row: Row?)] = []
    /// The bytes of the table in `memory`.
    private var byteCount = 0
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
    subscript(key: Key) -> Entry? { places[key].map { entries[$0] } }

    /// True if changes wait to be written.
    var hasChanges: Bool { !changed.isEmpty }

    /// Adds a row that was read; `nil` if the storage holds none.
    func take(_ row: Row?, of key: Key) {
        let (place, isNew) = place(of: key)
        guard isNew else { return }
        entries[place].row = row
        entries[place].isStored = row != nil
        count(bytes(of: row))
    }

    /// Changes a row; `nil` removes it. If the storage may hold a row, it was read before.
    func put(_ row: Row?, at key: Key) {
        let (place, isNew) = place(of: key)
        change(place, isNew, to: row)
    }

    /// How much was known of a key before a change.
    enum Knowledge {
        case unknown
        /// There was no row.
        case absent
        case held
    }

    /// Adds a row unless one is known, which stays.
    ///
    /// - Returns: The former knowledge. After `unknown` the storage must hold no row, or the
    ///   change has to be undone.
    func insert(_ row: Row, at key: Key) -> Knowledge {
        let (place, isNew) = place(of: key)
        guard isNew || entries[place].row == nil else { return .held }
        change(place, isNew, to: row)
        return isNew ? .unknown : .absent
    }

    private func change(_ place: Int, _ isNew: Bool, to row: Row?) {
        if !isNew {
            undone.append((place, entries[place]))
            undoneBytes += bytes(of: entries[place].row)
        }
        if !entries[place].isChanged { changed.append(place) }
        entries[place].row = row
        entries[place].isChanged = true
        count(bytes(of: row))
    }

    /// The place of a key, which gets an empty entry if it has none.
    private func place(of key: Key) -> (place: Int, isNew: Bool) {
        func read(_ place: inout Int) -> Int { place }
        let end = entries.count
        let place = read(&places[key, default: end])
        if place == end {
            entries.append(Entry(key: key, row: nil, isStored: false, isChanged: false))
        }
        return (place, place == end)
    }

    private func count(_ bytes: Int) {
        byteCount += bytes
        memory.byteCount += bytes
    }

    private func bytes(of row: Row?) -> Int { Self.bytesPerEntry + (row.map(size) ?? 0) }

    /// Returns the rows that have to be inserted and updated and the keys of those that have to be
    /// removed, and counts all of them as written.
    ///
    /// - Parameter form: Returns the form in which a row is written.
    func takeChanges<Value>(_ form: (Key, Row) -> Value?) -> Changes<Value> {
        keep()
        var changes = Changes<Value>()
        changes.inserted.reserveCapacity(changed.count)
        for place in changed {
            if let row = entries[place].row {
                if let value = form(entries[place].key, row) {
                    if entries[place].isStored {
                        changes.updated.append(value)
                    } else {
                        changes.inserted.append(value)
                    }
                }
                entries[place].isStored = true
            } else if entries[place].isStored {
                changes.removed.append(entries[place].key)
                entries[place].isStored = false
            }
            entries[place].isChanged = false
        }
        changed.removeAll(keepingCapacity: true)
        keptCount = 0
        return changes
    }

    // MARK: DraftPart

    func keep() {
        keptCount = changed.count
        count(-undoneBytes)
        undoneBytes = 0
        undone.removeAll(keepingCapacity: true)
    }

    func undo() {
        for (place, before) in undone.reversed() {
            count(-bytes(of: entries[place].row))
            entries[place] = before
        }
        // What is still changed had no entry before.
        for place in changed[keptCount...] where entries[place].isChanged {
            count(-bytes(of: entries[place].row))
            places[entries[place].key] = nil
            entries[place].row = nil
        }
        changed.removeLast(changed.count - keptCount)
        undoneBytes = 0
        undone.removeAll(keepingCapacity: true)
    }

    func stepBack() {
        let places = changed[keptCount...] + undone.map(\.place)
        repeated = places.map { (entries[$0].key, entries[$0].row) }
        undo()
    }

    func stepForward() {
        for (key, row) in repeated { put(row, at: key) }
        repeated = []
    }

    func forget() {
        keep()
        count(-byteCount)
        places.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
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

/// The approximate memory of a draft, in bytes.
final class DraftMemory {
    var byteCount = 0
    /// The bytes of changes and of what was read above which both are given up.
    static let limit = 2 << 20
}
