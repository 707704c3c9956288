import Foundation

/// The status of a file, as the system reports it.
struct FileStatus {
    private typealias Status = stat

    private let status: stat

    /// Reads the status of the file at a path, following symbolic links.
    ///
    /// - Returns: `nil` if there is no file, or none that can be reached; `errno` says why.
    init?(of path: String) {
        var status = Status()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// Reads the status of an open file.
    ///
    /// - Parameter file: A file descriptor.
    init?(of file: Int32) {
        var status = Status()
        guard fstat(file, &status) == 0 else { return nil }
        self.status = status
    }

    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    /// The permissions of the owner, the group and other users.
    var rights: mode_t { status.st_mode & 0o777 }
    var owner: uid_t { status.st_uid }
    var group: gid_t { status.st_gid }
    /// The number of names (hard links) of the file.
    var nameCount: Int { Int(status.st_nlink) }

    /// True if both are the same file, possibly under different names.
    func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}
