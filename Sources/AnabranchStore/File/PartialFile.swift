import Foundation

/// A file that is written under a temporary name, `FILE.<16 hexadecimal digits>.partial`, and is
/// renamed to FILE when it is complete.
///
/// Two partial files for one FILE have different names, and neither replaces an existing partial
/// file. A partial file is locked while it is written, so an unlocked one was left by a crash; the
/// next partial file for the same FILE removes it. When this value is destroyed, the partial file
/// is removed, unless it was renamed. A partial file that is a database is removed together with
/// the files that SQLite keeps beside it.
struct PartialFile: ~Copyable {
    private let target: String
    /// The temporary name.
    let path: String
    private let file: Int32

    private static let ending = ".partial"
    private static let digitCount = 16

    /// Creates a partial file.
    ///
    /// - Parameter rights: The permissions of the file, restricted by the process's umask.
    init(of target: String, rights: mode_t) throws(SystemError) {
        Self.removeAbandoned(beside: target)
        let (path, file) = try Self.make(beside: target, rights)
        self.target = target
        self.path = path
        self.file = file
    }

    deinit {
        Self.remove(path)
        close(file)
    }

    private static func make(
        beside target: String, _ rights: mode_t
    ) throws(SystemError) -> (path: String, file: Int32) {
        while true {
            let number = UInt64.random(in: 1 << 60 ... .max)
            let path = "\(target).\(String(number, radix: 16))\(ending)"
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights)
            guard file >= 0 else { throw SystemError() }
            // If the file system has no locks, no partial file is ever removed as abandoned.
            let isTaken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, FileStatus(of: file)?.nameCount != 0 { return (path, file) }
            // Another process removed the file as abandoned between the two calls.
            close(file)
        }
    }

    // MARK: - Writing

    var status: FileStatus? { FileStatus(of: file) }

    /// Gives the file the owner of the file that it will replace.
    func belong(to other: FileStatus) throws(SystemError) {
        guard let status else { throw SystemError() }
        guard status.owner != other.owner || status.group != other.group else { return }
        // A user may lack the right to give a file to some group.
        guard fchown(file, other.owner, other.group) == 0 || status.owner == other.owner else {
            throw SystemError()
        }
    }

    func setRights(_ rights: mode_t) throws(SystemError) {
        guard fchmod(file, rights) == 0 else { throw SystemError() }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let more = Foundation.write(file, rest.baseAddress, rest.count)
            if more < 0 && errno == EINTR { continue }
            guard more > 0 else { throw SystemError() }
            count += more
        }
    }

    /// Flushes the bytes to the disk.
    func synchronize() throws(SystemError) {
        guard Self.flush(file) == 0 else { throw SystemError() }
    }

    /// Flushes past the drive's cache, where the system tells that from an ordinary flush.
    private static func flush(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
            // Some file systems know the ordinary flush only.
            if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(file)
    }

    // MARK: - Final name

    /// Atomically renames the file to its final name, replacing any file there.
    func replaceTarget() throws(SystemError) {
        guard rename(path, target) == 0 else { throw SystemError() }
    }

    /// Gives the file its final name if that name is free; otherwise the error is `EEXIST`.
    func becomeTarget() throws(SystemError) {
        guard link(path, target) == 0 else { throw SystemError() }
    }

    /// Flushes a file name to the disk by flushing its folder.
    static func synchronizeFolder(of path: String) throws(SystemError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let file = open(folder, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            // A folder that can be written but not read can only be flushed together with
            // everything else.
            sync()
            return
        }
        defer { close(file) }
        // Some file systems cannot flush folders.
        guard flush(file) == 0 || errno == EINVAL else { throw SystemError() }
    }

    // MARK: - Abandoned files

    private static func removeAbandoned(beside target: String) {
        let url = URL(fileURLWithPath: target)
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where isPartial(name, of: url.lastPathComponent) {
            removeIfAbandoned(folder.appendingPathComponent(name).path)
        }
    }

    private static func isPartial(_ name: String, of target: String) -> Bool {
        guard name.hasPrefix(target + "."), name.hasSuffix(ending) else { return false }
        let digits = name.utf8.dropFirst(target.utf8.count + 1).dropLast(ending.utf8.count)
        return digits.count == digitCount
            && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    private static func removeIfAbandoned(_ path: String) {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        guard let status = FileStatus(of: file), status.isRegular,
            flock(file, LOCK_EX | LOCK_NB) == 0
        else { return }
        remove(path)
    }

    private static func remove(_ path: String) {
        for suffix in ["-journal", "-wal", "-shm", ""] { unlink(path + suffix) }
    }
}
