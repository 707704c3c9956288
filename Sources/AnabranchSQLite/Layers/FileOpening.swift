import CSQLite

/// One opening of a file, with the answers to SQLite's calls as its status codes.
///
/// It belongs to one connection and is used by one thread at a time, as that is. Locks and the
/// index of a write-ahead log are those of ``locks``, unless an opening refuses them.
package protocol FileOpening: AnyObject {
    var locks: HeldLocks { get }
    /// `SQLITE_IOCAP_…`.
    var characteristics: Int32 { get }

    var byteCount: Int { get }
    /// What the file does not have is made zero.
    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32
    func truncate(to count: Int) -> Int32
    func flush() -> Int32

    func lock(_ level: Int32) -> Int32
    func unlock(to level: Int32)
    func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32
    /// - Parameter request: `SQLITE_FCNTL_…`.
    func control(_ request: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32

    /// Nothing is asked for any more.
    func close()
}

extension FileOpening {
    package func lock(_ level: Int32) -> Int32 { locks.lock(level) }

    package func unlock(to level: Int32) { locks.unlock(to: level) }

    package func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        locks.changeIndexLock(slots, flags)
    }

    package func control(_ request: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        SQLITE_NOTFOUND
    }
}
