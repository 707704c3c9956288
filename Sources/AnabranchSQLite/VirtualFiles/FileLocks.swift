import CSQLite

/// SQLite's locks on a database file, and the openings of the file that hold them.
///
/// Many openings may hold `SHARED`. One of them, which is going to write, may also hold `RESERVED`.
/// An opening that wants `EXCLUSIVE` holds `PENDING` until all other openings have released their
/// locks. Meanwhile no other opening can acquire `SHARED`.
///
/// Source: "File Locking And Concurrency In SQLite Version 3", sqlite.org/lockingv3.html.
struct FileLocks {
    typealias Holder = ObjectIdentifier

    private var shared: Set<Holder> = []
    private var reserved: Holder?
    private var pending: Holder?
    private var exclusive: Holder?

    var isReserved: Bool { reserved != nil || exclusive != nil }

    /// Acquires a lock, or returns at once if another opening prevents it.
    ///
    /// If only `SHARED` locks of other openings prevent `EXCLUSIVE`, the opening keeps `PENDING`
    /// until it calls `unlock(to:for:)`.
    ///
    /// - Parameter level: `SQLITE_LOCK_SHARED`, `…_RESERVED` or `…_EXCLUSIVE`.
    ///
    /// - Returns: True if the lock was granted.
    mutating func lock(_ level: Int32, for holder: Holder) -> Bool {
        switch level {
        case SQLITE_LOCK_SHARED:
            guard Self.isFree(pending, for: holder) else { return false }
            shared.insert(holder)
        case SQLITE_LOCK_RESERVED:
            guard Self.isFree(reserved, for: holder) else { return false }
            reserved = holder
        default:
            guard Self.isFree(reserved, for: holder), Self.isFree(pending, for: holder) else {
                return false
            }
            pending = holder
            guard shared.count == (shared.contains(holder) ? 1 : 0) else { return false }
            exclusive = holder
        }
        return true
    }

    /// Releases locks down to `SQLITE_LOCK_SHARED` or to `SQLITE_LOCK_NONE`.
    mutating func unlock(to level: Int32, for holder: Holder) {
        if reserved == holder { reserved = nil }
        if pending == holder { pending = nil }
        if exclusive == holder { exclusive = nil }
        if level == SQLITE_LOCK_NONE { shared.remove(holder) }
    }

    private static func isFree(_ lock: Holder?, for holder: Holder) -> Bool {
        lock == nil || lock == holder
    }
}
