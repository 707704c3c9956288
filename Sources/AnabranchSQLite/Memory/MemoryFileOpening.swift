import CSQLite

/// One opening of a file, with the answers to SQLite's calls as its status codes.
///
/// It belongs to one connection and is used by one thread at a time, as that is.
final class MemoryFileOpening {
    private let file: MemoryFile
    /// Of a database.
    private let path: String?
    private var level = SQLITE_LOCK_NONE
    private var isMapped = false

    private var holder: ObjectIdentifier { ObjectIdentifier(self) }

    init(_ file: MemoryFile, path: String?) {
        self.file = file
        self.path = path
    }

    func close() {
        unmap()
        unlock(to: SQLITE_LOCK_NONE)
        if let path { MemoryFiles.didClose(path) }
    }

    // MARK: - Content

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        file.read(target, at: offset) == target.count ? SQLITE_OK : IOStatus.shortRead
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        file.write(source, at: offset) ? SQLITE_OK : SQLITE_FULL
    }

    func truncate(to count: Int) -> Int32 {
        file.truncate(to: count)
        return SQLITE_OK
    }

    var byteCount: Int { file.byteCount }

    // MARK: - Locks

    func lock(_ wanted: Int32) -> Int32 {
        guard wanted > level else { return SQLITE_OK }
        guard file.withLocks({ $0.lock(wanted, for: holder) }) else { return SQLITE_BUSY }
        level = wanted
        return SQLITE_OK
    }

    func unlock(to wanted: Int32) {
        file.withLocks { $0.unlock(to: wanted, for: holder) }
        level = min(level, wanted)
    }

    var isReserved: Bool { file.withLocks { $0.isReserved } }

    // MARK: - The index of the log

    func map(
        _ region: Int, size: Int, isMade: Bool,
        _ target: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        isMapped = true
        switch file.withIndex({ $0.map(region, size: size, isMade: isMade, for: holder) }) {
        case .region(let memory): target.pointee = memory
        case .none: target.pointee = nil
        case .outOfMemory: return SQLITE_NOMEM
        }
        return SQLITE_OK
    }

    func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        file.withIndex { $0.change(slots, flags, for: holder) } ? SQLITE_OK : SQLITE_BUSY
    }

    func unmap() {
        guard isMapped else { return }
        isMapped = false
        file.withIndex { $0.unmap(for: holder) }
    }
}

/// SQLite's extended codes of failed operations, which are no constants to Swift.
enum IOStatus {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let lock = SQLITE_IOERR | 15 << 8
    static let indexLock = SQLITE_IOERR | 20 << 8
    static let deleteMissing = SQLITE_IOERR | 23 << 8
    static let access = SQLITE_IOERR | 13 << 8
}
