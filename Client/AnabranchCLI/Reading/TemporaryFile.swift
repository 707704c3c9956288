import Foundation

/// A file of the running command alone. It has no name, so it is gone when the command ends, in
/// whatever way.
final class TemporaryFile {
    private let descriptor: Int32
    private var byteCount = 0

    /// Creates an empty file in the folder for temporary files.
    ///
    /// - Throws: ``CommandFailure`` if that is not possible.
    init() throws {
        let folder = FileManager.default.temporaryDirectory
        var path = Array(folder.appending(path: "anabranch-XXXXXX").path.utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Self.failure("create", errno) }
        unlink(path)
    }

    deinit { close(descriptor) }

    /// Appends bytes.
    ///
    /// - Returns: Their place in the file.
    ///
    /// - Throws: ``CommandFailure``, for example if the disk is full.
    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let start = byteCount
        while byteCount < start + bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[(byteCount - start)...])
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(byteCount))
            if written < 0, errno != EINTR { throw Self.failure("write", errno) }
            byteCount += max(written, 0)
        }
        return start
    }

    /// Reads bytes that were appended.
    ///
    /// - Throws: ``CommandFailure`` if the bytes can't be read.
    func read(into bytes: UnsafeMutableRawBufferPointer, at place: Int) throws {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
            let got = pread(descriptor, rest.baseAddress, rest.count, off_t(place + count))
            if got == 0 { throw Self.failure("read", EIO) }
            if got < 0, errno != EINTR { throw Self.failure("read", errno) }
            count += max(got, 0)
        }
    }

    private static func failure(_ verb: String, _ code: Int32) -> CommandFailure {
        CommandFailure(
            .inputOutput,
            "Can't \(verb) a temporary file in \(FileManager.default.temporaryDirectory.path) "
                + "because: \(String(cString: strerror(code))). Set TMPDIR to a folder with more "
                + "room.")
    }
}
