import CSQLite

// The structure and the functions by which SQLite uses a log with gathered frames.
extension CommitFrames {
    /// The structure that SQLite keeps for the open log. The structure of the file below follows.
    private struct Handle {
        var base: sqlite3_file
        /// `nil` after the file was closed.
        var frames: Unmanaged<CommitFrames>?
    }

    /// The number of bytes before the structure of the file below.
    static let handleByteCount = MemoryLayout<Handle>.stride

    /// Returns the place for the structure of the file below.
    static func fileBelow(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<sqlite3_file> {
        (UnsafeMutableRawPointer(file) + handleByteCount)
            .assumingMemoryBound(to: sqlite3_file.self)
    }

    /// Puts the frames of an open log in front of the file below.
    static func put(into file: UnsafeMutablePointer<sqlite3_file>) {
        let frames = CommitFrames(fileBelow(file))
        UnsafeMutableRawPointer(file).bindMemory(to: Handle.self, capacity: 1).initialize(
            to: Handle(base: sqlite3_file(pMethods: methods), frames: .passRetained(frames)))
    }

    /// Returns the frames of a file that SQLite has open; `nil` if they are not gathered.
    static func of(_ file: UnsafeMutablePointer<sqlite3_file>) -> CommitFrames? {
        guard file.pointee.pMethods == methods else { return nil }
        return handle(file).pointee.frames?.takeUnretainedValue()
    }

    private static func handle(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<Handle> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: Handle.self)
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        let below = fileBelow(file)
        handle(file).pointee.frames?.release()
        handle(file).pointee.frames = nil
        return below.pointee.pMethods.pointee.xClose(below)
    }

    /// Calls a function of the file below, after everything gathered was written.
    private static func pass(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32
    ) -> Int32 {
        guard let file, let frames = of(file) else { return SQLITE_IOERR }
        let status = frames.flush()
        guard status == SQLITE_OK else { return status }
        let below = fileBelow(file)
        return body(below.pointee.pMethods.pointee, below)
    }

    // The table is never changed.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        var table = sqlite3_io_methods()
        // The functions of later versions are called with a database, not with its log.
        table.iVersion = 1
        table.xClose = { file in file.map { CommitFrames.close($0) } ?? SQLITE_OK }
        table.xWrite = { file, source, count, offset in
            guard let file, let frames = CommitFrames.of(file) else { return IOStatus.write }
            return frames.write(
                UnsafeRawBufferPointer(start: source, count: Int(count)), at: offset)
        }
        table.xRead = { file, target, count, offset in
            CommitFrames.pass(file) { $0.xRead($1, target, count, offset) }
        }
        table.xTruncate = { file, count in CommitFrames.pass(file) { $0.xTruncate($1, count) } }
        table.xSync = { file, flags in CommitFrames.pass(file) { $0.xSync($1, flags) } }
        table.xFileSize = { file, count in CommitFrames.pass(file) { $0.xFileSize($1, count) } }
        table.xLock = { file, level in CommitFrames.pass(file) { $0.xLock($1, level) } }
        table.xUnlock = { file, level in CommitFrames.pass(file) { $0.xUnlock($1, level) } }
        table.xCheckReservedLock = { file, result in
            CommitFrames.pass(file) { $0.xCheckReservedLock($1, result) }
        }
        table.xFileControl = { file, request, argument in
            CommitFrames.pass(file) { $0.xFileControl($1, request, argument) }
        }
        table.xSectorSize = { file in CommitFrames.pass(file) { $0.xSectorSize($1) } }
        table.xDeviceCharacteristics = { file in
            CommitFrames.pass(file) { $0.xDeviceCharacteristics($1) }
        }
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: table)
        return UnsafePointer(methods)
    }()
}
