import CSodium
import Foundation

/// A key ring on the disk: readable by its owner alone, replaced as a whole.
struct KeyRingFile {
    let path: String

    private typealias Status = stat

    // MARK: - Reading

    func read() throws(KeyRingError) -> BundleKeyRing {
        let file = try open(path)
        defer { close(file) }
        return try read(file)
    }

    private func open(_ path: String) throws(KeyRingError) -> Int32 {
        let file = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw KeyRingError(
                .cannotOpen, "Can't read the key ring \(path): \(Self.systemError()).",
                path: path)
        }
        return file
    }

    private func read(_ file: Int32) throws(KeyRingError) -> BundleKeyRing {
        try checkIsPrivate(file)
        var count = 0
        // One byte more than there may be shows that there is more.
        let most = KeyRingText.largestFile + 1
        let text = SecretBytes(count: most) { count = Self.fill($0, most, from: file) }
        guard count >= 0 else {
            throw KeyRingError(
                .cannotOpen, "Can't read the key ring \(path): \(Self.systemError()).",
                path: path)
        }
        return try text.withUnsafeBytes { bytes throws(KeyRingError) in
            try KeyRingText.ring(
                in: UnsafeBufferPointer(start: bytes, count: count), path: path)
        }
    }

    /// - Returns: How many bytes there were; -1 where reading failed.
    private static func fill(
        _ out: UnsafeMutablePointer<UInt8>, _ most: Int, from file: Int32
    ) -> Int {
        var count = 0
        while count < most {
            let more = Foundation.read(file, out + count, most - count)
            if more < 0 && errno == EINTR { continue }
            guard more > 0 else { return more < 0 ? -1 : count }
            count += more
        }
        return count
    }

    /// Looks at the file that was opened, not at what lies under the name by now.
    private func checkIsPrivate(_ file: Int32) throws(KeyRingError) {
        var status = Status()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw KeyRingError(
                .cannotOpen, "Can't read the key ring \(path) because it is no file.", path: path)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw KeyRingError(
                .exposed,
                "Can't use the key ring \(path) because others than its owner have rights to it. "
                    + "Take them away by: chmod 600 \(path)", path: path)
        }
    }

    // MARK: - Writing

    /// Writes a file that was not there.
    func create(_ ring: BundleKeyRing) throws(KeyRingError) {
        let partial = try writePartial(of: ring, beside: path)
        defer { unlink(partial) }
        guard link(partial, path) == 0 else {
            guard errno != EEXIST else {
                throw KeyRingError(
                    .alreadyExists,
                    "Can't make the key ring \(path) because there is such a file already, and "
                        + "a key that is overwritten is lost.", path: path)
            }
            throw cannotWrite()
        }
        try synchronizeFolder(of: path)
    }

    /// Reads the ring, changes it and puts it in the place of the old one; of two who do so at
    /// once the second waits, and changes what the first has written.
    func update(_ change: (inout BundleKeyRing) throws -> Void) throws -> BundleKeyRing {
        // A link goes on leading to the file.
        guard let resolved = realpath(path, nil) else {
            throw KeyRingError(
                .cannotOpen, "Can't read the key ring \(path): \(Self.systemError()).",
                path: path)
        }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let file = try openLocked(target)
        defer { close(file) }
        var ring = try read(file)
        try change(&ring)
        let partial = try writePartial(of: ring, beside: target)
        guard rename(partial, target) == 0 else {
            let error = cannotWrite()
            unlink(partial)
            throw error
        }
        try synchronizeFolder(of: target)
        return ring
    }

    /// Waits until nobody else changes the file, which whoever did may have replaced.
    private func openLocked(_ path: String) throws(KeyRingError) -> Int32 {
        while true {
            let file = try open(path)
            var isLocked = flock(file, LOCK_EX)
            while isLocked != 0 && errno == EINTR { isLocked = flock(file, LOCK_EX) }
            guard isLocked == 0 else {
                let error = cannotWrite()
                close(file)
                throw error
            }
            var (opened, named) = (Status(), Status())
            if fstat(file, &opened) == 0, stat(path, &named) == 0,
                opened.st_ino == named.st_ino, opened.st_dev == named.st_dev
            {
                return file
            }
            close(file)
        }
    }

    /// - Returns: The path of a file with the ring in it, which is on the disk.
    private func writePartial(
        of ring: BundleKeyRing, beside target: String
    ) throws(KeyRingError) -> String {
        let partial = "\(target).\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
        let file = Foundation.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw cannotWrite() }
        defer { close(file) }
        do throws(KeyRingError) {
            // Before the first secret byte: not every file system keeps rights.
            guard fchmod(file, 0o600) == 0 else { throw cannotWrite() }
            try checkIsPrivate(file)
            guard Self.write(KeyRingText.text(of: ring), to: file), fsync(file) == 0 else {
                throw cannotWrite()
            }
        } catch {
            unlink(partial)
            throw error
        }
        return partial
    }

    private static func write(_ text: SecretBytes, to file: Int32) -> Bool {
        text.withUnsafeBytes { bytes in
            var count = 0
            while count < text.count {
                let more = Foundation.write(file, bytes + count, text.count - count)
                if more < 0 && errno == EINTR { continue }
                guard more > 0 else { return false }
                count += more
            }
            return true
        }
    }

    /// A name is on the disk when its folder is.
    private func synchronizeFolder(of path: String) throws(KeyRingError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let file = Foundation.open(folder, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        guard fsync(file) == 0 || errno == EINVAL else { throw cannotWrite() }
    }

    private func cannotWrite() -> KeyRingError {
        KeyRingError(
            .cannotWrite, "Can't write the key ring \(path): \(Self.systemError()).", path: path)
    }

    private static func systemError() -> String { String(cString: strerror(errno)) }
}
