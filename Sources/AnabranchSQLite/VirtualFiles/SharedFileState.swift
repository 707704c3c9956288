import Synchronization

/// The state that the openings of a file share: SQLite's locks and the index of a write-ahead log.
package final class SharedFileState: @unchecked Sendable {
    // These properties are used only while the lock is held.
    private let lock = Mutex(())
    private var locks = FileLocks()
    private var index = LogIndex()

    package init() {}

    func withLocks<Result: Sendable>(_ body: (inout FileLocks) -> Result) -> Result {
        lock.withLock { _ in body(&locks) }
    }

    func withIndex<Result: Sendable>(_ body: (inout LogIndex) -> Result) -> Result {
        lock.withLock { _ in body(&index) }
    }
}
