import AnabranchSQLite
import CSQLite

/// One opening of a file by a process.
///
/// A dead process keeps its locks until its disk forgets the process. It neither acquires nor
/// releases a lock.
final class OpenFile: VirtualFile {
    let locks: VirtualFileLocks
    private let file: SimulatedFile
    private let process: SimulatedProcess
    private unowned let disk: SimulatedDisk
    private var keepsLog: Int32 = 0

    init(_ file: SimulatedFile, of process: SimulatedProcess, on disk: SimulatedDisk) {
        self.disk = disk
        self.file = file
        self.process = process
        locks = VirtualFileLocks(file.sharing)
    }

    func close() {
        locks.unmap()
        unlock(to: SQLITE_LOCK_NONE)
    }

    let characteristics = SQLITE_IOCAP_POWERSAFE_OVERWRITE

    // MARK: - Content

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        guard !process.isDead else { return IOStatus.read }
        let count = file.read(target, at: offset)
        guard count < target.count else { return SQLITE_OK }
        UnsafeMutableRawBufferPointer(rebasing: target[count...]).initializeMemory(
            as: UInt8.self, repeating: 0)
        return IOStatus.shortRead
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        if disk.isFull, offset + source.count > file.byteCount { return SQLITE_FULL }
        switch process.operate() {
        case .done:
            file.write(source, at: offset)
            return SQLITE_OK
        case .torn:
            file.write(
                UnsafeRawBufferPointer(rebasing: source[..<(source.count / 2)]), at: offset)
        case .dead: break
        }
        return IOStatus.write
    }

    func truncate(to count: Int) -> Int32 {
        guard process.operate() == .done else { return IOStatus.truncate }
        file.truncate(to: count)
        return SQLITE_OK
    }

    func flush(isFull: Bool) -> Int32 {
        guard process.operate() == .done else { return IOStatus.flush }
        if isFull { disk.fullFlushCount += 1 }
        file.flush()
        return SQLITE_OK
    }

    var byteCount: Int { file.byteCount }

    // MARK: - Locks

    func lock(_ level: Int32) -> Int32 {
        if level == SQLITE_LOCK_SHARED { process.willRead?() }
        return process.isDead ? IOStatus.lock : locks.lock(level)
    }

    func unlock(to level: Int32) {
        if !process.isDead { locks.unlock(to: level) }
    }

    func changeIndexLock(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        process.isDead ? IOStatus.indexLock : locks.changeIndexLock(slots, flags)
    }

    func control(_ request: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        guard request == SQLITE_FCNTL_PERSIST_WAL, let argument else { return SQLITE_NOTFOUND }
        let value = argument.assumingMemoryBound(to: Int32.self)
        if value.pointee < 0 { value.pointee = keepsLog } else { keepsLog = value.pointee }
        return SQLITE_OK
    }
}
