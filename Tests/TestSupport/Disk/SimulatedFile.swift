import CSQLite

/// One file in memory: what it reads as, and what of that a loss of power would leave.
final class SimulatedFile {
    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    /// Tells the file from every copy of it.
    let inode: UInt64
    private(set) var bytes: [UInt8]
    /// As of the last flush.
    private var flushed: [UInt8]
    /// Since then, in their order.
    private var unflushed: [Change] = []
    var locks = FileLocks()
    var sharedMemory: SharedMemory?
    /// Openings that have mapped it.
    var mappings = 0

    init(inode: UInt64, bytes: [UInt8] = []) {
        self.inode = inode
        self.bytes = bytes
        flushed = bytes
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        unflushed.append(.write(offset: offset, bytes: Array(source)))
        Self.write(source, at: offset, to: &bytes)
    }

    private static func write(
        _ source: UnsafeRawBufferPointer, at offset: Int, to bytes: inout [UInt8]
    ) {
        let end = offset + source.count
        if bytes.count < end {
            bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
        }
        bytes.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(from: source)
        }
    }

    func truncate(to count: Int) {
        unflushed.append(.truncate(count))
        Self.truncate(&bytes, to: count)
    }

    private static func truncate(_ bytes: inout [UInt8], to count: Int) {
        if count < bytes.count { bytes.removeLast(bytes.count - count) }
    }

    func flush() {
        for change in unflushed { Self.make(change, in: &flushed) }
        unflushed = []
    }

    private static func make(_ change: Change, in bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let source):
            source.withUnsafeBytes { write($0, at: offset, to: &bytes) }
        case .truncate(let count): truncate(&bytes, to: count)
        }
    }

    /// Power is lost: of what was not flushed some is on the disk, in whatever order.
    ///
    /// - Parameter survives: Asked for every change.
    func losePower(_ survives: () -> Bool) {
        for change in unflushed where survives() { Self.make(change, in: &flushed) }
        unflushed = []
        bytes = flushed
    }

    /// Nobody has the file open any more.
    func forgetOpenings() {
        locks = FileLocks()
        sharedMemory = nil
        mappings = 0
    }
}

/// Who holds which of SQLite's locks of a database file.
struct FileLocks {
    typealias Holder = ObjectIdentifier

    private var shared: Set<Holder> = []
    private var reserved: Holder?
    private var pending: Holder?
    private var exclusive: Holder?

    var isReserved: Bool { reserved != nil || exclusive != nil }

    /// - Returns: Whether the lock was granted.
    mutating func lock(_ level: Int32, for holder: Holder) -> Bool {
        switch level {
        case SQLITE_LOCK_SHARED:
            guard [pending, exclusive].allSatisfy({ $0 == nil || $0 == holder }) else {
                return false
            }
            shared.insert(holder)
        case SQLITE_LOCK_RESERVED:
            guard reserved == nil || reserved == holder else { return false }
            reserved = holder
        case SQLITE_LOCK_PENDING, SQLITE_LOCK_EXCLUSIVE:
            guard pending == nil || pending == holder else { return false }
            pending = holder
            guard shared.subtracting([holder]).isEmpty else { return false }
            exclusive = holder
        default: break
        }
        return true
    }

    mutating func unlock(to level: Int32, for holder: Holder) {
        if reserved == holder { reserved = nil }
        if pending == holder { pending = nil }
        if exclusive == holder { exclusive = nil }
        if level == SQLITE_LOCK_NONE { shared.remove(holder) }
    }
}
