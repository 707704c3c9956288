import CSodium
import Foundation

/// A key ring on disk: readable only by its owner, and always replaced as a whole.
package struct KeyRingFile {
    /// The file system operations that a test makes fail.
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
        // Reading one byte more than allowed shows that a file is too long.
        let most = KeyRingText.largestFile + 1
        let text = SecretBytes(count: most) { count = Self.fill($0, most, from: file) }
        guard count >= 0 else { throw cannotRead(SystemError()) }
        return try text.withUnsafeBytes { bytes throws(KeyRingError) in
            try KeyRingText.ring(in: UnsafeBufferPointer(start: bytes, count: count), path: path)
        }
    }

    /// Reads bytes from a file.
    ///
    /// - Returns: The number of bytes read; -1 if reading failed.
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

    /// Checks the opened file, because another file may have the path by now.
    private func checkIsPrivate(_ file: Int32) throws(KeyRingError) {
        guard let status = FileStatus(of: file), !status.isFolder else {
            throw KeyRingError(
                .cannotOpen, "Can't read the key ring \(path) because it is not a file.", path: path
            )
        }
        guard status.isPrivate else {
            throw KeyRingError(
                .exposed,
                "Can't use the key ring \(path) because users other than its owner have "
                    + "permissions for it. Type: chmod 600 \(quoted(path))", path: path)
        }
    }

    /// The path as one word of a shell command, whatever characters it contains.
    private func quoted(_ path: String) -> String {
        "'" + path.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }

    // MARK: - Writing

    /// Creates the file; it must not exist yet.
    package func create(_ ring: BundleKeyRing) throws(KeyRingError) {
        let partial = try partial(of: ring, beside: path)
        do throws(SystemError) { try partial.becomeTarget() } catch {
            guard error.number != EEXIST else {
                throw KeyRingError(
                    .alreadyExists,
                    "Can't create the key ring \(path) because the file already exists, and an "
                        + "overwritten key is lost. Choose another name.", path: path)
            }
            throw cannotWrite(error)
        }
        try synchronizeFolder(of: path)
    }

    /// Reads the ring, changes it and replaces the file. If two processes do this at once, the
    /// second waits and changes what the first wrote.
    package func update(_ change: (inout BundleKeyRing) throws -> Void) throws -> BundleKeyRing {
        // A symbolic link must still point to the file afterwards.
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

    /// Waits until no other process changes the file, and opens the new file if that process
    /// replaced it.
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

    /// Writes a ring into a partial file.
    ///
    /// - Parameter old: The file that gives the new one its owner, whichever user changes it.
    /// - Returns: A file with the ring, flushed to disk.
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

    /// Creates an empty partial file that only its owner can read, before the first secret byte is
    /// written.
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
            "Can't write the key ring \(path) because its file system can't restrict reading to "
                + "the owner. Choose another folder.", path: path)
    }

    private func synchronizeFolder(of target: String) throws(KeyRingError) {
        do throws(SystemError) {
            guard !refusals.contains(.folderFlush) else { throw SystemError(EIO) }
            try PartialFile.synchronizeFolder(of: target)
        } catch {
            throw KeyRingError(
                .notDurable,
                "The key ring \(path) is written, but a power failure may still restore the old "
                    + "one: \(error.text). Check it after a power failure.", path: path)
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
    /// True if only the owner has permissions for the file.
    fileprivate var isPrivate: Bool { rights & 0o077 == 0 }
}
