import CSQLite

/// The locks and the log index that one opening of a file holds.
///
/// The methods return SQLite's status codes.
package final class VirtualFileLocks {
    private let sharing: SharedFileState
    private var level = SQLITE_LOCK_NONE
    private var isMapped = false

    private var holder: ObjectIdentifier { ObjectIdentifier(self) }

    package init(_ sharing: SharedFileState) { self.sharing = sharing }

    /// Unmaps the log index and releases all locks of the opening.
    package func close() {
        unmap()
        unlock(to: SQLITE_LOCK_NONE)
    }

    // MARK: - Locks

    package func lock(_ wanted: Int32) -> Int32 {
        guard wanted > level else { return SQLITE_OK }
        guard sharing.withLocks({ $0.lock(wanted, for: holder) }) else { return SQLITE_BUSY }
        level = wanted
        return SQLITE_OK
    }

    package func unlock(to wanted: Int32) {
        sharing.withLocks { $0.unlock(to: wanted, for: holder) }
        level = min(level, wanted)
    }

    var isReserved: Bool { sharing.withLocks { $0.isReserved } }

    // MARK: - The index of the log

    func map(
        _ region: Int, size: Int, creating isCreated: Bool,
        _ target: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        isMapped = true
        switch sharing.withIndex({ $0.map(region, size: size, creating: isCreated, for: holder) }) {
        case .region(let memory): target.pointee = memory
        case .none: target.pointee = nil
        case .outOfMemory: return SQLITE_NOMEM
        }
        return SQLITE_OK
    }

    package func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        guard isMapped else { return IOStatus.indexLock }
        return sharing.withIndex { $0.change(slots, flags, for: holder) }
            ? SQLITE_OK : SQLITE_BUSY
    }

    package func unmap() {
        guard isMapped else { return }
        isMapped = false
        sharing.withIndex { $0.unmap(for: holder) }
    }
}
