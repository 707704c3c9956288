import Synchronization

/// One file in memory, shared by its openings.
final class MemoryFile: @unchecked Sendable {
    /// Locks and the index of a log are not the content's business.
    let sharing = FileSharing()
    // What follows is used with the lock held, and only for as long as copying a page takes.
    private let lock = Mutex(())
    private var content = MemoryFileContent()

    var byteCount: Int { lock.withLock { _ in content.byteCount } }

    /// - Returns: How many bytes there were; what is missing behind them is zero.
    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        lock.withLock { _ in content.read(target, at: offset) }
    }

    /// - Returns: Whether there was memory for it.
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        lock.withLock { _ in content.write(source, at: offset) }
    }

    func truncate(to byteCount: Int) { lock.withLock { _ in content.truncate(to: byteCount) } }
}
