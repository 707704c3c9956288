import CSQLite

/// The index of a write-ahead log, which the connections of one file share.
///
/// A new one is empty, so that whoever opens the file first recovers the log.
final class SharedMemory {
    private var regions: [UnsafeMutableRawPointer] = []
    private var shared: [Set<ObjectIdentifier>]
    private var exclusive: [ObjectIdentifier?]

    init() {
        shared = Array(repeating: [], count: Int(SQLITE_SHM_NLOCK))
        exclusive = Array(repeating: nil, count: Int(SQLITE_SHM_NLOCK))
    }

    deinit { for region in regions { region.deallocate() } }

    /// - Returns: `nil` where there is none yet and none is to be made.
    func region(_ index: Int, size: Int, isMade: Bool) -> UnsafeMutableRawPointer? {
        guard index >= regions.count else { return regions[index] }
        guard isMade else { return nil }
        while regions.count <= index {
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            regions.append(region)
        }
        return regions[index]
    }

    /// - Returns: Whether the lock was granted, or given back.
    func change(_ slots: Range<Int>, _ flags: Int32, for holder: ObjectIdentifier) -> Bool {
        let isShared = flags & SQLITE_SHM_SHARED != 0
        guard flags & SQLITE_SHM_LOCK != 0 else {
            release(slots, for: holder)
            return true
        }
        guard slots.allSatisfy({ exclusive[$0] == nil || exclusive[$0] == holder }) else {
            return false
        }
        if isShared {
            for slot in slots { shared[slot].insert(holder) }
            return true
        }
        guard slots.allSatisfy({ shared[$0].subtracting([holder]).isEmpty }) else { return false }
        for slot in slots { exclusive[slot] = holder }
        return true
    }

    func release(_ slots: Range<Int>, for holder: ObjectIdentifier) {
        for slot in slots {
            shared[slot].remove(holder)
            if exclusive[slot] == holder { exclusive[slot] = nil }
        }
    }

    var slots: Range<Int> { shared.indices }
}
