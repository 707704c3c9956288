import CSQLite
import Synchronization

/// The files of ``MemoryFiles``, by their paths.
final class MemoryFileSystem: VirtualFileSystem, Sendable {
    private struct Directory {
        /// The databases, write-ahead logs and journals.
        var files: [String: MemoryFile] = [:]
        /// The number of connections that have a database open.
        var openings: [String: Int] = [:]
    }

    private let directory = Mutex(Directory())

    /// The suffixes of a database and of the files beside it.
    private static let suffixes = ["", "-wal", "-journal"]

    /// The number of bytes of a database and the files beside it.
    func byteCount(of path: String) -> Int {
        let files = directory.withLock { directory in
            Self.suffixes.compactMap { directory.files[path + $0] }
        }
        return files.reduce(0) { $0 + $1.byteCount }
    }

    func open(_ path: String?, flags: Int32) -> (any VirtualFile)? {
        guard let path else { return OpenMemoryFile(MemoryFile()) }
        let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
        let file = directory.withLock { directory -> MemoryFile? in
            if directory.files[path] == nil {
                guard flags & SQLITE_OPEN_CREATE != 0 else { return nil }
                directory.files[path] = MemoryFile()
            }
            if isDatabase { directory.openings[path, default: 0] += 1 }
            return directory.files[path]
        }
        guard let file else { return nil }
        guard isDatabase else { return OpenMemoryFile(file) }
        return OpenMemoryFile(file) { self.didClose(path) }
    }

    /// Removes a database and the files beside it when its last connection is closed.
    private func didClose(_ path: String) {
        directory.withLock { directory in
            let count = directory.openings[path, default: 1] - 1
            directory.openings[path] = count > 0 ? count : nil
            guard count <= 0 else { return }
            for suffix in Self.suffixes { directory.files[path + suffix] = nil }
        }
    }

    /// Removes a file by its path; existing openings can still use it.
    func delete(_ path: String) -> Int32 {
        let file = directory.withLock { $0.files.removeValue(forKey: path) }
        return file == nil ? IOStatus.deleteMissing : SQLITE_OK
    }

    /// Returns true if the file exists and is not empty, as SQLite does for files on a disk.
    func exists(_ path: String) -> Bool {
        let file = directory.withLock { $0.files[path] }
        return file.map { $0.byteCount > 0 } ?? false
    }
}
