import Synchronization

/// What the openings of a file share beside its content: SQLite's locks, and the index of a
/// write-ahead log.
package final class FileSharing: @unchecked Sendable {
    // What follows is used with the lock held.
    private let lock = Mutex(())
    private var locks = FileLocks()
    private var index = LogIndex()

    /// Nobody has the file open.
    package init() {}

    func withLocks<Result: Sendable>(_ body: (inout FileLocks) -> Result) -> Result {
        lock.withLock { _ in body(&locks) }
    }

    func withIndex<Result: Sendable>(_ body: (inout LogIndex) -> Result) -> Result {
        lock.withLock { _ in body(&index) }
    }
}
