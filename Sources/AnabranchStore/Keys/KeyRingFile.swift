import CSodium
import Foundation

/// A key ring on the disk: readable by its owner alone, replaced as a whole.
package struct KeyRingFile {
    /// What a test has the file system refuse.
    package enum Refusal: Sendable { case rights, folderFlush }

    private let path: String
    private let refusals: Set<Refusal>

    package init(path: String, refusing refusals: Set<Refusal> = []) {
        self.path = path
        self.refusals = refusals
    }

    // MARK: - Reading

    func read() throws(KeyRingError) -> BundleKeyRing {
        let file = try open(path)
        defer { close(file) }
        return try read(file)
    }

    private func open(_ path: String) throws(KeyRingError) -> Int32 {
        let file = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw cannotRead(SystemError()) }
        return file
    }

    private func read(_ file: Int32) throws(KeyRingError) -> BundleKeyRing {
        try checkIsPrivate(file)
        var count = 0
        // One byte more than there may be shows that there is more.
        let most = KeyRingText.largestFile + 1
        let text = SecretBytes(count: most) { count = Self.fill($0, most, from: file) }
        guard count >= 0 else { throw cannotRead(SystemError()) }
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
        guard let status = FileStatus(of: file), !status.isFolder else {
            throw KeyRingError(
                .cannotOpen, "Can't read the key ring \(path) because it is no file.", path: path)
        }
        guard status.isPrivate else {
            throw KeyRingError(
                .exposed,
                "Can't use the key ring \(path) because others than its owner have rights to it. "
                    + "Take them away by: chmod 600 \(quoted(path))", path: path)
        }
    }

    /// One word of a shell's command line, whatever is in it.
    private func quoted(_ path: String) -> String {
        "'" + path.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }

    // MARK: - Writing

    /// Writes a file that was not there.
    package func create(_ ring: BundleKeyRing) throws(KeyRingError) {
        let partial = try partial(of: ring, beside: path)
        do throws(SystemError) { try partial.becomeTarget() } catch {
            guard error.number != EEXIST else {
                throw KeyRingError(
                    .alreadyExists,
                    "Can't make the key ring \(path) because there is such a file already, and "
                        + "a key that is overwritten is lost.", path: path)
            }
            throw cannotWrite(error)
        }
        try synchronizeFolder(of: path)
    }

    /// Reads the ring, changes it and puts it in the place of the old one; of two who do so at
    /// once the second waits, and changes what the first has written.
    package func update(_ change: (inout BundleKeyRing) throws -> Void) throws -> BundleKeyRing {
        // A link goes on leading to the file.
        guard let resolved = realpath(path, nil) else { throw cannotRead(SystemError()) }
        defer { free(resolved) }
        let target = String(cString: resolved)
        let file = try openLocked(target)
        defer { close(file) }
        var ring = try read(file)
        try change(&ring)
        let partial = try partial(of: ring, beside: target, inPlaceOf: FileStatus(of: file))
        do throws(SystemError) { try partial.replaceTarget() } catch { throw cannotWrite(error) }
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
                let error = cannotWrite(SystemError())
                close(file)
                throw error
            }
            if let opened = FileStatus(of: file), let named = FileStatus(of: path),
                opened.isSameFile(as: named)
            {
                return file
            }
            close(file)
        }
    }

    /// - Parameter old: The file whose owner the new one gets, whoever changes it.
    /// - Returns: A file with the ring in it, which is on the disk.
    private func partial(
        of ring: BundleKeyRing, beside target: String, inPlaceOf old: FileStatus? = nil
    ) throws(KeyRingError) -> PartialFile {
        let partial = try emptyPartial(beside: target, inPlaceOf: old)
        let text = KeyRingText.text(of: ring)
        do throws(SystemError) {
            try text.withUnsafeBytes { bytes throws(SystemError) in
                try partial.write(UnsafeRawBufferPointer(start: bytes, count: text.count))
            }
            try partial.synchronize()
        } catch { throw cannotWrite(error) }
        return partial
    }

    /// Nobody but its owner has rights to it before the first secret byte is in it.
    private func emptyPartial(
        beside target: String, inPlaceOf old: FileStatus?
    ) throws(KeyRingError) -> PartialFile {
        do throws(SystemError) {
            let partial = try PartialFile(of: target, rights: 0o600)
            if let old { try partial.belong(to: old) }
            try partial.setRights(0o600)
            let isPrivate = partial.status?.isPrivate == true && !refusals.contains(.rights)
            if isPrivate { return partial }
        } catch { throw cannotWrite(error) }
        throw KeyRingError(
            .cannotWrite,
            "Can't write the key ring \(path) because its file system does not keep others from "
                + "reading it. Choose another place.", path: path)
    }

    private func synchronizeFolder(of target: String) throws(KeyRingError) {
        do throws(SystemError) {
            guard !refusals.contains(.folderFlush) else { throw SystemError(EIO) }
            try PartialFile.synchronizeFolder(of: target)
        } catch {
            throw KeyRingError(
                .notDurable,
                "The key ring \(path) is written, and a loss of power may still bring back what "
                    + "was there before: \(error.text).", path: path)
        }
    }

    private func cannotRead(_ error: SystemError) -> KeyRingError {
        KeyRingError(.cannotOpen, "Can't read the key ring \(path): \(error.text).", path: path)
    }

    private func cannotWrite(_ error: SystemError) -> KeyRingError {
        KeyRingError(.cannotWrite, "Can't write the key ring \(path): \(error.text).", path: path)
    }
}

extension FileStatus {
    /// Whether nobody but its owner has rights to it.
    fileprivate var isPrivate: Bool { rights & 0o077 == 0 }
}
