import Foundation

extension URL {
    /// Creates a directory and its missing parents, readable by its owner only.
    ///
    /// - Throws: ``StorageError`` `full` or `unusable`, with the system's cause.
    func makeDirectory() throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        var cause = errno
        if cause == ENOENT {
            try deletingLastPathComponent().makeDirectory()
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
            cause = errno
        }
        throw StorageError(
            cause == ENOSPC ? .full : .unusable,
            "Can't create the directory \(path) because of this error: "
                + "\(String(cString: strerror(cause))).")
    }
}
