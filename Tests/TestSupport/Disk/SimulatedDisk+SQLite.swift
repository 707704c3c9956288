import CSQLite
import Foundation

/// SQLite's tables of functions, which lead to a disk and its open files.
extension SimulatedDisk {
    /// What SQLite keeps for each open file: its own part first.
    private struct Handle {
        var base: sqlite3_file
        var file: Unmanaged<OpenFile>?
    }

    func register(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
        var table = sqlite3_vfs()
        table.iVersion = 2
        table.szOsFile = Int32(MemoryLayout<Handle>.size)
        table.mxPathname = 512
        table.zName = UnsafePointer(strdup(name))
        table.pAppData = Unmanaged.passUnretained(self).toOpaque()
        table.xOpen = { vfs, path, file, flags, outFlags in
            SimulatedDisk.open(vfs, path, file, flags, outFlags)
        }
        table.xDelete = { vfs, path, _ in
            guard let path, let disk = SimulatedDisk.of(vfs) else { return IOFailure.delete }
            let name = String(cString: path)
            guard disk.exists(name) else { return IOFailure.deleteMissing }
            return disk.delete(name) ? SQLITE_OK : IOFailure.delete
        }
        table.xAccess = { vfs, path, _, result in
            guard let path, let disk = SimulatedDisk.of(vfs) else { return IOFailure.access }
            result?.pointee = disk.exists(String(cString: path)) ? 1 : 0
            return SQLITE_OK
        }
        table.xFullPathname = { _, path, count, target in
            guard let path, let target, strlen(path) < Int(count) else { return SQLITE_CANTOPEN }
            strcpy(target, path)
            return SQLITE_OK
        }
        table.xRandomness = { vfs, count, target in
            guard let target, let disk = SimulatedDisk.of(vfs) else { return 0 }
            for index in 0..<Int(count) { target[index] = CChar(bitPattern: disk.randomByte()) }
            return count
        }
        table.xSleep = { _, microseconds in microseconds }
        table.xGetLastError = { _, _, _ in 0 }
        table.xCurrentTime = { _, days in
            days?.pointee = 2_460_000.5
            return SQLITE_OK
        }
        table.xCurrentTimeInt64 = { _, milliseconds in
            milliseconds?.pointee = 212_544_043_200_000
            return SQLITE_OK
        }
        vfs.initialize(to: table)
        sqlite3_vfs_register(vfs, 0)
    }

    static func unregister(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
        sqlite3_vfs_unregister(vfs)
        free(UnsafeMutablePointer(mutating: vfs.pointee.zName))
        vfs.deallocate()
    }

    private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDisk? {
        guard let data = vfs?.pointee.pAppData else { return nil }
        return Unmanaged<SimulatedDisk>.fromOpaque(data).takeUnretainedValue()
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
        _ target: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let target, let disk = of(vfs) else { return SQLITE_CANTOPEN }
        target.pointee.pMethods = nil
        // A temporary file has no name; it needs none that anybody else could open.
        let name = path.map { String(cString: $0) } ?? "temporary"
        guard let file = disk.open(name, flags: flags) else { return SQLITE_CANTOPEN }
        outFlags?.pointee = flags
        target.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.file = Unmanaged.passRetained(file)
        }
        target.pointee.pMethods = methods
        return SQLITE_OK
    }

    private static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        guard let file else { return nil }
        return file.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.file?.takeUnretainedValue()
        }
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let file else { return SQLITE_OK }
        return file.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
            handle.pointee.file?.takeRetainedValue().close()
            handle.pointee.file = nil
            return SQLITE_OK
        }
    }

    // Made once, and the same for all disks.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        var table = sqlite3_io_methods()
        table.iVersion = 2
        setContent(&table)
        setLocks(&table)
        setSharedMemory(&table)
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: table)
        return UnsafePointer(methods)
    }()

    private static func setContent(_ table: inout sqlite3_io_methods) {
        table.xClose = { SimulatedDisk.close($0) }
        table.xRead = { file, target, count, offset in
            SimulatedDisk.file(file)?.read(
                UnsafeMutableRawBufferPointer(start: target, count: Int(count)), at: Int(offset))
                ?? IOFailure.read
        }
        table.xWrite = { file, source, count, offset in
            SimulatedDisk.file(file)?.write(
                UnsafeRawBufferPointer(start: source, count: Int(count)), at: Int(offset))
                ?? IOFailure.write
        }
        table.xTruncate = { file, count in
            SimulatedDisk.file(file)?.truncate(to: Int(count)) ?? IOFailure.truncate
        }
        table.xSync = { file, _ in SimulatedDisk.file(file)?.flush() ?? IOFailure.flush }
        table.xFileSize = { file, count in
            count?.pointee = Int64(SimulatedDisk.file(file)?.byteCount ?? 0)
            return SQLITE_OK
        }
        table.xSectorSize = { _ in 4096 }
        table.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    }

    private static func setLocks(_ table: inout sqlite3_io_methods) {
        table.xLock = { file, level in
            SimulatedDisk.file(file)?.lock(level) ?? IOFailure.lock
        }
        table.xUnlock = { file, level in
            SimulatedDisk.file(file)?.unlock(to: level)
            return SQLITE_OK
        }
        table.xCheckReservedLock = { file, result in
            result?.pointee = SimulatedDisk.file(file)?.isReserved == true ? 1 : 0
            return SQLITE_OK
        }
        table.xFileControl = { file, request, argument in
            SimulatedDisk.file(file)?.control(request, argument) == true
                ? SQLITE_OK : SQLITE_NOTFOUND
        }
    }

    private static func setSharedMemory(_ table: inout sqlite3_io_methods) {
        table.xShmMap = { file, region, size, isMade, result in
            result?.pointee = SimulatedDisk.file(file)?.map(
                Int(region), size: Int(size), isMade: isMade != 0)
            return SQLITE_OK
        }
        table.xShmLock = { file, first, count, flags in
            SimulatedDisk.file(file)?.changeMemoryLock(
                Int(first)..<Int(first + count), flags) ?? IOFailure.memoryLock
        }
        table.xShmBarrier = { _ in }
        table.xShmUnmap = { file, _ in
            SimulatedDisk.file(file)?.unmap()
            return SQLITE_OK
        }
    }
}
