import CSQLite
import Synchronization

/// Database files that are nowhere but in this process, for SQLite to use like any others.
///
/// ``vfsName`` is the name of a layer of files for ``Connection`` and ``ConnectionPool``. A file
/// in it is told from others by its path alone, whatever that looks like. All connections of the
/// process that have a path open share the file, with SQLite's locks and the shared index of a
/// write-ahead log, so that a writer and its readers see what they see in a file on a disk: one
/// writes while others read, each of them one state. The file is gone, and its memory free, when
/// its last connection is closed.
///
/// Nothing is ever written to a disk, temporary files neither. Nothing survives the process.
public enum MemoryFiles {
    /// What `vfs` has to be for a connection to such a file.
    public static let vfsName: String = {
        MemoryFileTable.register(as: registeredName)
        return registeredName
    }()

    private static let registeredName = "anabranch-memory"

    /// What a database takes now with its log; 0 where nobody has it open.
    public static func byteCount(of path: String) -> Int {
        let files = directory.withLock { directory in
            Self.suffixes.compactMap { directory.files[path + $0] }
        }
        return files.reduce(0) { $0 + $1.byteCount }
    }

    /// Of a database and of what lies beside it.
    private static let suffixes = ["", "-wal", "-journal"]

    private struct Directory {
        /// Databases, write-ahead logs and journals, by their paths.
        var files: [String: MemoryFile] = [:]
        /// How many connections have a database open.
        var openings: [String: Int] = [:]
    }

    private static let directory = Mutex(Directory())
}

// What SQLite asks for.
extension MemoryFiles {
    /// - Parameter path: `nil` of a temporary file, which nobody else can open.
    /// - Returns: `nil` where there is no such file and none is to be made.
    static func open(_ path: String?, flags: Int32) -> MemoryFileOpening? {
        guard let path else { return MemoryFileOpening(MemoryFile(), path: nil) }
        let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
        let file = directory.withLock { directory -> MemoryFile? in
            if directory.files[path] == nil {
                guard flags & SQLITE_OPEN_CREATE != 0 else { return nil }
                directory.files[path] = MemoryFile()
            }
            if isDatabase { directory.openings[path, default: 0] += 1 }
            return directory.files[path]
        }
        return file.map { MemoryFileOpening($0, path: isDatabase ? path : nil) }
    }

    /// A database that nobody has open any more goes, with what lies beside it.
    static func didClose(_ path: String) {
        directory.withLock { directory in
            let count = directory.openings[path, default: 1] - 1
            directory.openings[path] = count > 0 ? count : nil
            guard count <= 0 else { return }
            for suffix in suffixes { directory.files[path + suffix] = nil }
        }
    }

    /// - Returns: Whether there was such a file. Who has it open keeps it.
    static func remove(_ path: String) -> Bool {
        directory.withLock { $0.files.removeValue(forKey: path) != nil }
    }

    /// An empty file is as good as none, as SQLite has it of files on a disk.
    static func exists(_ path: String) -> Bool {
        let file = directory.withLock { $0.files[path] }
        return file.map { $0.byteCount > 0 } ?? false
    }
}
