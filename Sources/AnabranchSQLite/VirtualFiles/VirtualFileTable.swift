import CSQLite
import Synchronization

/// SQLite's table of functions for an open file; each calls a ``VirtualFile``.
///
/// The table is created once, for all files, and exists as long as the process.
enum VirtualFileTable {
    /// The structure that SQLite keeps for each open file; it begins with SQLite's own part.
    private struct Handle {
        var base: sqlite3_file
        /// The opening; `nil` after it was closed.
        var opening: (any VirtualFile)?
    }

    /// The number of bytes that SQLite must allocate for each open file.
    static let handleByteCount = Int32(MemoryLayout<Handle>.size)

    /// Initializes the structure of an open file.
    ///
    /// - Parameter file: Memory for a handle.
    static func put(_ opening: any VirtualFile, into file: UnsafeMutablePointer<sqlite3_file>) {
        file.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.initialize(to: Handle(base: sqlite3_file(pMethods: methods), opening: opening))
        }
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        file?.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.opening?.close()
            handle.pointee.opening = nil
        }
        return SQLITE_OK
    }

    /// Calls `body` with the opening; returns `nil` if there is none.
    private static func with<Result>(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (any VirtualFile) -> Result
    ) -> Result? {
        file?.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.opening.map(body)
        }
    }

    // The table is never changed.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        var table = sqlite3_io_methods()
        table.iVersion = 2
        setContent(&table)
        setLocks(&table)
        setIndex(&table)
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: table)
        return UnsafePointer(methods)
    }()

    private static func setContent(_ table: inout sqlite3_io_methods) {
        table.xClose = { VirtualFileTable.close($0) }
        table.xRead = { file, target, count, offset in
            let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
            return VirtualFileTable.with(file) { $0.read(target, at: Int(offset)) }
                ?? IOStatus.read
        }
        table.xWrite = { file, source, count, offset in
            let source = UnsafeRawBufferPointer(start: source, count: Int(count))
            return VirtualFileTable.with(file) { $0.write(source, at: Int(offset)) }
                ?? IOStatus.write
        }
        table.xTruncate = { file, count in
            VirtualFileTable.with(file) { $0.truncate(to: Int(count)) } ?? IOStatus.truncate
        }
        table.xSync = { file, flags in
            // The low bits say which kind of flush is meant.
            let isFull = flags & 0x0F == SQLITE_SYNC_FULL
            return VirtualFileTable.with(file) { $0.flush(isFull: isFull) } ?? IOStatus.flush
        }
        table.xFileSize = { file, count in
            count?.pointee = Int64(VirtualFileTable.with(file) { $0.byteCount } ?? 0)
            return SQLITE_OK
        }
        table.xSectorSize = { _ in 4096 }
        table.xDeviceCharacteristics = { file in
            VirtualFileTable.with(file) { $0.characteristics } ?? 0
        }
        table.xFileControl = { file, request, argument in
            VirtualFileTable.with(file) { $0.control(request, argument) } ?? SQLITE_NOTFOUND
        }
    }

    private static func setLocks(_ table: inout sqlite3_io_methods) {
        table.xLock = { file, level in
            VirtualFileTable.with(file) { $0.lock(level) } ?? IOStatus.lock
        }
        table.xUnlock = { file, level in
            VirtualFileTable.with(file) { $0.unlock(to: level) }
            return SQLITE_OK
        }
        table.xCheckReservedLock = { file, result in
            let isReserved = VirtualFileTable.with(file) { $0.locks.isReserved }
            result?.pointee = isReserved == true ? 1 : 0
            return SQLITE_OK
        }
    }

    private static func setIndex(_ table: inout sqlite3_io_methods) {
        table.xShmMap = { file, region, size, isCreated, result in
            guard let result else { return IOStatus.indexLock }
            return VirtualFileTable.with(file) {
                $0.locks.map(Int(region), size: Int(size), creating: isCreated != 0, result)
            } ?? IOStatus.indexLock
        }
        table.xShmLock = { file, first, count, flags in
            VirtualFileTable.with(file) {
                $0.changeIndexLock(Int(first)..<Int(first + count), flags)
            } ?? IOStatus.indexLock
        }
        table.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
        table.xShmUnmap = { file, _ in
            VirtualFileTable.with(file) { $0.locks.unmap() }
            return SQLITE_OK
        }
    }
}
