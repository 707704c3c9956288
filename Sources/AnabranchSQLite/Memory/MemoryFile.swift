import Synchronization

/// One file in memory, shared by its openings.
final class MemoryFile: @unchecked Sendable {
    /// The locks and the log index; they have a lock of their own.
    let sharing = SharedFileState()
    // These properties are used only while the lock is held, for as long as it takes to copy a
    // page.
    private let lock = Mutex(())
    private var content = MemoryFileContent()

    var byteCount: Int { lock.withLock { _ in content.byteCount } }

    /// Reads bytes and returns their number; missing bytes are zero.
    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        lock.withLock { _ in content.read(target, at: offset) }
    }

    /// Writes bytes; returns false if there is not enough memory.
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        lock.withLock { _ in content.write(source, at: offset) }
    }

    func truncate(to byteCount: Int) { lock.withLock { _ in content.truncate(to: byteCount) } }
}
