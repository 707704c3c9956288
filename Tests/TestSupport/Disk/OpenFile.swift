import CSQLite

/// One opening of a file by a process, with the answers to SQLite's calls as its status codes.
final class OpenFile {
    private let file: SimulatedFile
    private let process: SimulatedProcess
    private var sharedMemory: SharedMemory?
    private var level = SQLITE_LOCK_NONE
    private var keepsLog: Int32 = 0

    private var holder: ObjectIdentifier { ObjectIdentifier(self) }

    init(_ file: SimulatedFile, of process: SimulatedProcess) {
        self.file = file
        self.process = process
    }

    func close() {
        unmap()
        if level != SQLITE_LOCK_NONE { unlock(to: SQLITE_LOCK_NONE) }
    }

    // MARK: - Content

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        guard !process.isDead else { return IOFailure.read }
        let count = file.read(target, at: offset)
        guard count < target.count else { return SQLITE_OK }
        UnsafeMutableRawBufferPointer(rebasing: target[count...]).initializeMemory(
            as: UInt8.self, repeating: 0)
        return IOFailure.shortRead
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        switch process.operate() {
        case .done:
            file.write(source, at: offset)
            return SQLITE_OK
        case .torn:
            file.write(
                UnsafeRawBufferPointer(rebasing: source[..<(source.count / 2)]), at: offset)
        case .dead: break
        }
        return IOFailure.write
    }

    func truncate(to count: Int) -> Int32 {
        guard process.operate() == .done else { return IOFailure.truncate }
        file.truncate(to: count)
        return SQLITE_OK
    }

    func flush() -> Int32 {
        guard process.operate() == .done else { return IOFailure.flush }
        file.flush()
        return SQLITE_OK
    }

    var byteCount: Int { file.byteCount }

    // MARK: - Locks

    func lock(_ wanted: Int32) -> Int32 {
        guard !process.isDead else { return IOFailure.lock }
        guard wanted > level else { return SQLITE_OK }
        guard file.locks.lock(wanted, for: holder) else { return SQLITE_BUSY }
        level = wanted
        return SQLITE_OK
    }

    func unlock(to wanted: Int32) {
        guard !process.isDead else { return }
        file.locks.unlock(to: wanted, for: holder)
        level = wanted
    }

    var isReserved: Bool { file.locks.isReserved }

    /// - Returns: Whether the request is known.
    func control(_ request: Int32, _ argument: UnsafeMutableRawPointer?) -> Bool {
        guard request == SQLITE_FCNTL_PERSIST_WAL, let argument else { return false }
        let value = argument.assumingMemoryBound(to: Int32.self)
        if value.pointee < 0 { value.pointee = keepsLog } else { keepsLog = value.pointee }
        return true
    }

    // MARK: - Shared memory

    func map(_ region: Int, size: Int, isMade: Bool) -> UnsafeMutableRawPointer? {
        if sharedMemory == nil {
            let memory = file.sharedMemory ?? SharedMemory()
            file.sharedMemory = memory
            sharedMemory = memory
            file.mappings += 1
        }
        return sharedMemory?.region(region, size: size, isMade: isMade)
    }

    func changeMemoryLock(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        guard !process.isDead else { return IOFailure.memoryLock }
        guard let sharedMemory else { return IOFailure.memoryLock }
        return sharedMemory.change(slots, flags, for: holder) ? SQLITE_OK : SQLITE_BUSY
    }

    /// The last one to leave takes the memory along.
    func unmap() {
        guard let memory = sharedMemory else { return }
        sharedMemory = nil
        memory.release(memory.slots, for: holder)
        guard file.sharedMemory === memory else { return }
        file.mappings -= 1
        if file.mappings == 0 { file.sharedMemory = nil }
    }
}
