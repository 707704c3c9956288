import CSQLite

/// One opening of a file in memory.
final class OpenMemoryFile: VirtualFile {
    let locks: VirtualFileLocks
    private let file: MemoryFile
    private let didClose: () -> Void

    init(_ file: MemoryFile, didClose: @escaping () -> Void = {}) {
        self.file = file
        self.didClose = didClose
        locks = VirtualFileLocks(file.sharing)
    }

    func close() {
        locks.close()
        didClose()
    }

    let characteristics =
        SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL

    // MARK: - Content

    var byteCount: Int { file.byteCount }

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        file.read(target, at: offset) == target.count ? SQLITE_OK : IOStatus.shortRead
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        file.write(source, at: offset) ? SQLITE_OK : SQLITE_FULL
    }

    func truncate(to count: Int) -> Int32 {
        file.truncate(to: count)
        return SQLITE_OK
    }

    /// Does nothing: memory does not survive a loss of power.
    func flush(isFull: Bool) -> Int32 { SQLITE_OK }
}
