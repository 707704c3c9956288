import Foundation

/// What the system tells of a file.
struct FileStatus {
    private typealias Status = stat

    private let status: stat

    /// Of what a path leads to, through symbolic links.
    ///
    /// - Returns: `nil` where nothing is there, or nothing that can be reached; `errno` says why.
    init?(of path: String) {
        var status = Status()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// - Parameter file: A descriptor.
    init?(of file: Int32) {
        var status = Status()
        guard fstat(file, &status) == 0 else { return nil }
        self.status = status
    }

    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    /// Of owner, group and others.
    var rights: mode_t { status.st_mode & 0o777 }
    var owner: uid_t { status.st_uid }
    var group: gid_t { status.st_gid }
    /// How many names lead to it.
    var nameCount: Int { Int(status.st_nlink) }

    /// Whether the two are one file, under whatever names.
    func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}
