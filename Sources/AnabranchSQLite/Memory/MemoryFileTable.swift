import CSQLite
import Synchronization

/// SQLite's tables of functions, which lead to files in memory.
///
/// They are made once and stay for as long as the process runs.
enum MemoryFileTable {
    /// What SQLite keeps for each open file: its own part first.
    private struct Handle {
        var base: sqlite3_file
        var opening: Unmanaged<MemoryFileOpening>?
    }

    static func register(as name: String) {
        // Randomness, sleep and the time of day are the system's.
        guard let system = sqlite3_vfs_find(nil), let name = csqlite_permanent_copy(name) else {
            return
        }
        var table = system.pointee
        table.pNext = nil
        table.iVersion = 2
        table.szOsFile = Int32(MemoryLayout<Handle>.size)
        table.mxPathname = 4096
        table.zName = UnsafePointer(name)
        table.xOpen = { _, path, file, flags, outFlags in
            MemoryFileTable.open(path, file, flags, outFlags)
        }
        table.xDelete = { _, path, _ in
            guard let path, MemoryFiles.remove(String(cString: path)) else {
                return IOStatus.deleteMissing
            }
            return SQLITE_OK
        }
        table.xAccess = { _, path, _, result in
            guard let path else { return IOStatus.access }
            result?.pointee = MemoryFiles.exists(String(cString: path)) ? 1 : 0
            return SQLITE_OK
        }
        table.xFullPathname = { _, path, count, target in
            guard let path, let target, csqlite_copy_text(target, path, Int(count)) != 0 else {
                return SQLITE_CANTOPEN
            }
            return SQLITE_OK
        }
        // An error number of the system's would be another call's.
        table.xGetLastError = { _, _, _ in 0 }
        let memory = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        memory.initialize(to: table)
        sqlite3_vfs_register(memory, 0)
    }

    private static func open(
        _ path: UnsafePointer<CChar>?, _ target: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let target else { return SQLITE_CANTOPEN }
        target.pointee.pMethods = nil
        guard let opening = MemoryFiles.open(path.map { String(cString: $0) }, flags: flags) else {
            return SQLITE_CANTOPEN
        }
        outFlags?.pointee = flags
        target.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.opening = Unmanaged.passRetained(opening)
        }
        target.pointee.pMethods = methods
        return SQLITE_OK
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let file else { return SQLITE_OK }
        return file.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.opening?.takeRetainedValue().close()
            handle.pointee.opening = nil
            return SQLITE_OK
        }
    }

    /// Lends the opening; `nil` where there is none.
    private static func with<Result>(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (MemoryFileOpening) -> Result
    ) -> Result? {
        guard let file else { return nil }
        return file.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.opening.map { $0._withUnsafeGuaranteedRef(body) }
        }
    }

    // Made once, and never changed.
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
        table.xClose = { MemoryFileTable.close($0) }
        table.xRead = { file, target, count, offset in
            let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
            return MemoryFileTable.with(file) { $0.read(target, at: Int(offset)) } ?? IOStatus.read
        }
        table.xWrite = { file, source, count, offset in
            let source = UnsafeRawBufferPointer(start: source, count: Int(count))
            return MemoryFileTable.with(file) { $0.write(source, at: Int(offset)) }
                ?? IOStatus.write
        }
        table.xTruncate = { file, count in
            MemoryFileTable.with(file) { $0.truncate(to: Int(count)) } ?? IOStatus.truncate
        }
        table.xSync = { _, _ in SQLITE_OK }
        table.xFileSize = { file, count in
            count?.pointee = Int64(MemoryFileTable.with(file) { $0.byteCount } ?? 0)
            return SQLITE_OK
        }
        table.xSectorSize = { _ in 4096 }
        table.xDeviceCharacteristics = { _ in
            SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL
        }
        table.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    }

    private static func setLocks(_ table: inout sqlite3_io_methods) {
        table.xLock = { file, level in
            MemoryFileTable.with(file) { $0.lock(level) } ?? IOStatus.lock
        }
        table.xUnlock = { file, level in
            MemoryFileTable.with(file) { $0.unlock(to: level) }
            return SQLITE_OK
        }
        table.xCheckReservedLock = { file, result in
            result?.pointee = MemoryFileTable.with(file) { $0.isReserved } == true ? 1 : 0
            return SQLITE_OK
        }
    }

    private static func setIndex(_ table: inout sqlite3_io_methods) {
        table.xShmMap = { file, region, size, isMade, result in
            guard let result else { return IOStatus.indexLock }
            return MemoryFileTable.with(file) {
                $0.map(Int(region), size: Int(size), isMade: isMade != 0, result)
            } ?? IOStatus.indexLock
        }
        table.xShmLock = { file, first, count, flags in
            MemoryFileTable.with(file) {
                $0.changeIndexLock(Int(first)..<Int(first + count), flags)
            } ?? IOStatus.indexLock
        }
        table.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
        table.xShmUnmap = { file, _ in
            MemoryFileTable.with(file) { $0.unmap() }
            return SQLITE_OK
        }
    }
}
