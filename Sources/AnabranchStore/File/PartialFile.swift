import Foundation

/// A file that is written under a name of its own, `FILE.<16 hexadecimal digits>.partial`, and
/// gets the name FILE when it is whole.
///
/// Two that are to become one FILE have two names, and neither takes the name of a file that is
/// there. It is locked as long as it is written, so one that nobody has locked is what a crash has
/// left: the next that is to become the same FILE removes it. When the value goes, what it has
/// written goes, unless that has got its name.
struct PartialFile: ~Copyable {
    private let target: String
    private let path: String
    private let file: Int32

    private static let ending = ".partial"
    private static let digitCount = 16

    /// - Parameter rights: Of the file, but for those that the process's mask takes away.
    init(of target: String, rights: mode_t) throws(SystemError) {
        Self.removeAbandoned(beside: target)
        let (path, file) = try Self.make(beside: target, rights)
        self.target = target
        self.path = path
        self.file = file
    }

    deinit {
        unlink(path)
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
            // Where the file system knows no locks nobody removes what seems abandoned.
            let isTaken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken, FileStatus(of: file)?.nameCount != 0 { return (path, file) }
            // Somebody has taken it for abandoned between the two calls.
            close(file)
        }
    }

    // MARK: - Writing

    var status: FileStatus? { FileStatus(of: file) }

    /// Gives it the owner of the file whose place it is to take.
    func belong(to other: FileStatus) throws(SystemError) {
        guard let status else { throw SystemError() }
        guard status.owner != other.owner || status.group != other.group else { return }
        // Not everybody may give a file to a group.
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

    /// Puts the bytes on the disk.
    func synchronize() throws(SystemError) {
        guard fsync(file) == 0 else { throw SystemError() }
    }

    // MARK: - Its name

    /// Takes the place of the file that is there, at once, if there is one.
    func replaceTarget() throws(SystemError) {
        guard rename(path, target) == 0 else { throw SystemError() }
    }

    /// Takes the name where nobody has it; else the error is `EEXIST`.
    func becomeTarget() throws(SystemError) {
        guard link(path, target) == 0 else { throw SystemError() }
    }

    /// Puts a name on the disk, which is there when its folder is.
    static func synchronizeFolder(of path: String) throws(SystemError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let file = open(folder, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            // Who may write to a folder and not read it can flush it with all others only.
            sync()
            return
        }
        defer { close(file) }
        // Some file systems flush no folders.
        guard fsync(file) == 0 || errno == EINVAL else { throw SystemError() }
    }

    // MARK: - What crashes leave

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
        unlink(path)
    }
}
