package import AnabranchSQLite
import CSQLite
import Synchronization

/// A disk in memory that SQLite uses as a virtual file system.
///
/// It knows what a loss of power would leave, and lets the process that uses a file die between any
/// two operations. Everything follows from one seed, also the random bytes that SQLite draws. A
/// disk belongs to one run and is used by one thread at a time.
package final class SimulatedDisk: @unchecked Sendable {
    /// The name under which the disk is registered with SQLite.
    package let name: String

    private var registration: VirtualFileSystemRegistration?
    /// Connections gather the frames of their commits here too, as with the system's files.
    private var commits: CommitFramesRegistration?
    private var files: [String: SimulatedFile] = [:]
    private var processes: [String: SimulatedProcess] = [:]
    private var lastInode: UInt64 = 0
    /// The number of requested flushes that must pass the drive's cache.
    package internal(set) var fullFlushCount = 0
    /// True if the disk has no room, so that no file can become longer.
    package var isFull = false
    private var generator: SeededGenerator

    /// Switches off SQLite's memory statistics.
    ///
    /// SQLite counts its allocated bytes under one lock, for which the runs of a simulation would
    /// wait. The statistics can be switched off only before SQLite is used, and while no other
    /// thread uses it.
    package static func leaveMemoryUncounted() { _ = csqlite_leave_memory_uncounted() }

    /// - Parameter seed: The seed of SQLite's random bytes and of the bytes that survive a loss of
    ///   power.
    package init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        name = "simulated-\(Self.number.add(1, ordering: .relaxed).newValue)"
        let files = "\(name)-files"
        registration = VirtualFileSystemRegistration(of: self, as: files, over: Self.surroundings)
        commits = CommitFramesRegistration(as: name, over: files)
    }

    deinit { commits = nil }

    /// The number of the last disk.
    private static let number = Atomic(0)

    /// The parts of the file system beside files: random bytes come from the disk, and time stands
    /// still.
    private static var surroundings: sqlite3_vfs {
        var table = sqlite3_vfs()
        table.xRandomness = { vfs, count, target in
            guard let target,
                let disk = VirtualFileSystemRegistration.layer(of: vfs) as? SimulatedDisk
            else { return 0 }
            for index in 0..<Int(count) { target[index] = CChar(bitPattern: disk.randomByte()) }
            return count
        }
        table.xSleep = { _, microseconds in microseconds }
        table.xCurrentTime = { _, days in
            days?.pointee = 2_460_000.5
            return SQLITE_OK
        }
        table.xCurrentTimeInt64 = { _, milliseconds in
            milliseconds?.pointee = 212_544_043_200_000
            return SQLITE_OK
        }
        return table
    }

    private func randomByte() -> UInt8 { UInt8.random(in: .min ... .max, using: &generator) }

    // MARK: - Processes

    /// Returns the process that has a database open or will open it next.
    package func process(of path: String) -> SimulatedProcess {
        if let process = processes[path] { return process }
        let process = SimulatedProcess()
        processes[path] = process
        return process
    }

    /// Begins a new process for a database after the last one has died. The files are as the dead
    /// process left them, or as a loss of power left them.
    ///
    /// - Parameter keepsUnflushed: Whether a loss of power may leave some of what was not flushed.
    package func restart(
        _ path: String, afterLossOfPower isPowerLost: Bool, keepsUnflushed: Bool = true
    ) {
        processes[path] = nil
        for (name, file) in files.sorted(by: { $0.key < $1.key })
        where Self.database(of: name) == path {
            if isPowerLost { file.losePower { keepsUnflushed && generator.oneIn(2) } }
            file.forgetOpenings()
        }
    }

    // MARK: - Files

    package func exists(_ path: String) -> Bool { files[path] != nil }

    /// Copies a database with its journals as they are at this moment, and flushes the copies.
    package func copy(_ path: String, to copy: String) {
        remove(copy)
        for (name, file) in files.sorted(by: { $0.key < $1.key })
        where Self.database(of: name) == path {
            file.flush()
            let suffix = name.dropFirst(path.count)
            files[copy + suffix] = SimulatedFile(inode: nextInode(), copying: file)
        }
    }

    package func remove(_ path: String) {
        for name in files.keys where Self.database(of: name) == path { files[name] = nil }
    }

    package func identity(of path: String) throws -> FileIdentity {
        guard let file = files[path] else {
            throw SQLiteError(
                code: .cantOpen, action: "identify \(path)", cause: "there is no such file")
        }
        return FileIdentity(inode: file.inode, birthNanoseconds: 0)
    }

    /// Returns the database that a journal or a write-ahead log belongs to.
    private static func database(of name: String) -> String {
        // A zone keeps its snapshots in a separate file.
        for suffix in ["-wal", "-journal", "-shm", ".snapshots"] where name.hasSuffix(suffix) {
            return database(of: String(name.dropLast(suffix.count)))
        }
        return name
    }

    private func nextInode() -> UInt64 {
        lastInode += 1
        return lastInode
    }
}

// The operations that SQLite calls.
extension SimulatedDisk: VirtualFileSystem {
    package func open(_ path: String?, flags: Int32) -> (any VirtualFile)? {
        // A temporary file needs no name by which it could be opened again.
        let path = path ?? "temporary"
        let process = process(of: Self.database(of: path))
        guard !process.isDead else { return nil }
        if let file = files[path] { return OpenFile(file, of: process, on: self) }
        guard flags & SQLITE_OPEN_CREATE != 0, process.operate() == .done else { return nil }
        let file = SimulatedFile(inode: nextInode())
        files[path] = file
        return OpenFile(file, of: process, on: self)
    }

    package func delete(_ path: String) -> Int32 {
        guard exists(path) else { return IOStatus.deleteMissing }
        guard process(of: Self.database(of: path)).operate() == .done else {
            return IOStatus.delete
        }
        files[path] = nil
        return SQLITE_OK
    }
}
