import CSQLite

/// The index of a write-ahead log, which the openings of its database share, with its locks.
///
/// A new one is empty: who opens the database first makes it from the log.
struct LogIndex: ~Copyable {
    typealias Holder = ObjectIdentifier

    private var regions: [UnsafeMutableRawPointer] = []
    private var shared: [Set<Holder>] = Array(repeating: [], count: Int(SQLITE_SHM_NLOCK))
    private var exclusive: [Holder?] = Array(repeating: nil, count: Int(SQLITE_SHM_NLOCK))
    /// Openings that have it mapped.
    private var users: Set<Holder> = []

    deinit { for region in regions { sqlite3_free(region) } }

    /// What SQLite gets when it maps a region.
    enum Mapping: @unchecked Sendable {
        /// SQLite orders what it does there by the locks and by fences of its own.
        case region(UnsafeMutableRawPointer)
        /// There is none yet, and none is to be made.
        case none
        case outOfMemory
    }

    /// - Parameter size: Of every region, in bytes.
    mutating func map(_ number: Int, size: Int, isMade: Bool, for holder: Holder) -> Mapping {
        users.insert(holder)
        while regions.count <= number {
            guard isMade else { return .none }
            guard let region = sqlite3_malloc(Int32(size)) else { return .outOfMemory }
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            regions.append(region)
        }
        return .region(regions[number])
    }

    /// - Parameter flags: `SQLITE_SHM_LOCK` or `…_UNLOCK`, with `…_SHARED` or `…_EXCLUSIVE`.
    /// - Returns: Whether the locks were granted, all or none, or given back.
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

    /// The last one to leave empties it.
    mutating func unmap(for holder: Holder) {
        release(shared.indices, for: holder)
        users.remove(holder)
        guard users.isEmpty else { return }
        for region in regions { sqlite3_free(region) }
        regions = []
    }
}
