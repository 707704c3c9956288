import CSQLite

/// One opening of a file. Its methods return SQLite's status codes.
///
/// It belongs to one connection, so one thread at a time uses it. By default ``locks`` implements
/// the locks and the index of a write-ahead log.
package protocol VirtualFile: AnyObject {
    var locks: VirtualFileLocks { get }
    /// The characteristics of the file, `SQLITE_IOCAP_…`.
    var characteristics: Int32 { get }

    var byteCount: Int { get }
    /// Reads bytes and fills the rest of the target with zeros if the file ends before.
    ///
    /// - Returns: `SQLITE_OK` if the target was filled from the file, ``IOStatus/shortRead`` if the
    ///   file ended before, or the code of an error.
    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32
    func truncate(to count: Int) -> Int32
    /// - Parameter isFull: Whether the bytes have to go past the drive's own cache, which
    ///   `PRAGMA fullfsync` asks for.
    func flush(isFull: Bool) -> Int32

    func lock(_ level: Int32) -> Int32
    func unlock(to level: Int32)
    func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32
    /// Handles a control request.
    ///
    /// - Parameter request: `SQLITE_FCNTL_…`.
    func control(_ request: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32

    /// Releases everything; it is the last call.
    func close()
}

extension VirtualFile {
    package func lock(_ level: Int32) -> Int32 { locks.lock(level) }

    package func unlock(to level: Int32) { locks.unlock(to: level) }

    package func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        locks.changeIndexLock(slots, flags)
    }

    package func control(_ request: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        SQLITE_NOTFOUND
    }
}
