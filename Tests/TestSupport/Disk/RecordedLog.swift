package import CSQLite

/// A file that SQLite could use as a log, which only records what is written.
package final class RecordedLog {
    /// SQLite's part of the file, followed by the recorder.
    private struct Handle {
        var base: sqlite3_file
        unowned(unsafe) let log: RecordedLog
    }

    /// The numbers of bytes of all writes, in their order.
    package private(set) var writes: [Int] = []

    private let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private let handle = UnsafeMutablePointer<Handle>.allocate(capacity: 1)

    /// The file, as long as the recorder lives.
    package var file: UnsafeMutablePointer<sqlite3_file> {
        UnsafeMutableRawPointer(handle).assumingMemoryBound(to: sqlite3_file.self)
    }

    package init() {
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.xWrite = { file, _, count, _ in
            guard let file else { return SQLITE_IOERR }
            UnsafeMutableRawPointer(file).assumingMemoryBound(to: Handle.self)
                .pointee.log.writes.append(Int(count))
            return SQLITE_OK
        }
        handle.initialize(to: Handle(base: sqlite3_file(pMethods: methods), log: self))
    }

    deinit {
        handle.deinitialize(count: 1)
        handle.deallocate()
        methods.deallocate()
    }
}
