import CSQLite
import Synchronization

/// The files of ``MemoryFiles``, by their paths.
final class MemoryLayer: FileLayer, Sendable {
    private struct Directory {
        /// Databases, write-ahead logs and journals.
        var files: [String: MemoryFile] = [:]
        /// How many connections have a database open.
        var openings: [String: Int] = [:]
    }

    private let directory = Mutex(Directory())

    /// Of a database and of what lies beside it.
    private static let suffixes = ["", "-wal", "-journal"]

    /// Of a database with what lies beside it.
    func byteCount(of path: String) -> Int {
        let files = directory.withLock { directory in
            Self.suffixes.compactMap { directory.files[path + $0] }
        }
        return files.reduce(0) { $0 + $1.byteCount }
    }

    func open(_ path: String?, flags: Int32) -> (any FileOpening)? {
        guard let path else { return MemoryFileOpening(MemoryFile()) }
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
        guard isDatabase else { return MemoryFileOpening(file) }
        return MemoryFileOpening(file) { self.didClose(path) }
    }

    /// A database that nobody has open any more goes, with what lies beside it.
    private func didClose(_ path: String) {
        directory.withLock { directory in
            let count = directory.openings[path, default: 1] - 1
            directory.openings[path] = count > 0 ? count : nil
            guard count <= 0 else { return }
            for suffix in Self.suffixes { directory.files[path + suffix] = nil }
        }
    }

    /// Who has the file open keeps it.
    func delete(_ path: String) -> Int32 {
        let file = directory.withLock { $0.files.removeValue(forKey: path) }
        return file == nil ? IOStatus.deleteMissing : SQLITE_OK
    }

    /// An empty file is as good as none, as SQLite has it of files on a disk.
    func exists(_ path: String) -> Bool {
        let file = directory.withLock { $0.files[path] }
        return file.map { $0.byteCount > 0 } ?? false
    }
}
