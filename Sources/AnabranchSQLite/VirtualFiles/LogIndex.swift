import CSQLite

/// The index of a write-ahead log, shared by the openings of its database, with its locks.
///
/// A new index is empty: the first connection to the database builds it from the log.
struct LogIndex: ~Copyable {
    typealias Holder = ObjectIdentifier

    private var regions: [UnsafeMutableRawPointer] = []
    private var shared: [Set<Holder>] = Array(repeating: [], count: Int(SQLITE_SHM_NLOCK))
    private var exclusive: [Holder?] = Array(repeating: nil, count: Int(SQLITE_SHM_NLOCK))
    /// The openings that have mapped the index.
    private var users: Set<Holder> = []

    deinit { for region in regions { sqlite3_free(region) } }

    /// The result of mapping a region.
    enum Mapping: @unchecked Sendable {
        /// The memory of a region. SQLite orders accesses to it by the locks and by its own fences.
        case region(UnsafeMutableRawPointer)
        /// The region does not exist and must not be created.
        case none
        /// There is not enough memory.
        case outOfMemory
    }

    /// Maps a region of the index.
    ///
    /// - Parameters:
    ///   - number: The region's number, counted from 0.
    ///   - size: The number of bytes of every region.
    ///   - isCreated: True to create this region and all before it if they are missing.
    ///   - holder: The opening, which uses the index until it calls `unmap(for:)`.
    mutating func map(
        _ number: Int, size: Int, creating isCreated: Bool, for holder: Holder
    ) -> Mapping {
        users.insert(holder)
        while regions.count <= number {
            guard isCreated else { return .none }
            guard let region = sqlite3_malloc(Int32(size)) else { return .outOfMemory }
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            regions.append(region)
        }
        return .region(regions[number])
    }

    /// Takes or releases locks of the index.
    ///
    /// - Parameter flags: `SQLITE_SHM_LOCK` or `…_UNLOCK`, with `…_SHARED` or `…_EXCLUSIVE`.
    ///
    /// - Returns: False if not all locks could be granted; then none was taken.
    mutating func change(_ slots: Range<Int>, _ flags: Int32, for holder: Holder) -> Bool {
        guard flags & SQLITE_SHM_LOCK != 0 else {
            release(slots, for: holder)
            return true
        }
        for slot in slots where exclusive[slot] != nil && exclusive[slot] != holder {
            return false
        }
        if flags & SQLITE_SHM_SHARED != 0 {
            for slot in slots { shared[slot].insert(holder) }
            return true
        }
        for slot in slots where shared[slot].count > (shared[slot].contains(holder) ? 1 : 0) {
            return false
        }
        for slot in slots { exclusive[slot] = holder }
        return true
    }

    private mutating func release(_ slots: Range<Int>, for holder: Holder) {
        for slot in slots {
            shared[slot].remove(holder)
            if exclusive[slot] == holder { exclusive[slot] = nil }
        }
    }

    /// Unmaps the index; the last opening empties it.
    mutating func unmap(for holder: Holder) {
        release(shared.indices, for: holder)
        users.remove(holder)
        guard users.isEmpty else { return }
        for region in regions { sqlite3_free(region) }
        regions = []
    }
}
