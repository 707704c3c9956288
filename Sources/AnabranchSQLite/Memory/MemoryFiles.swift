import CSQLite

/// Database files in the memory of this process, which SQLite uses like files on a disk.
///
/// ``vfsName`` is the name of their virtual file system for ``Connection`` and ``ConnectionPool``.
/// The path alone identifies a file; it can be any text. All connections of the process to one path
/// share the file, with SQLite's locks and the index of a write-ahead log. Readers and a writer
/// therefore behave as with a file on a disk: one connection writes while other connections read,
/// each of them one state. When the last connection is closed, the file is removed and its memory
/// is freed.
///
/// Nothing is ever written to a disk, not even temporary files. Nothing survives the process.
public enum MemoryFiles {
    /// The value of `vfs` for a connection to such a file.
    public static let vfsName: String = {
        _ = registration
        return registeredName
    }()

    private static let registeredName = "anabranch-memory"
    private static let layer = MemoryFileSystem()

    /// The registration; `nil` if SQLite has no default file system.
    ///
    /// The default file system provides randomness, sleep and the time of day.
    private static let registration = sqlite3_vfs_find(nil).map {
        VirtualFileSystemRegistration(of: layer, as: registeredName, over: $0.pointee)
    }

    /// The number of bytes of a database with its log; 0 if it is not open.
    public static func byteCount(of path: String) -> Int { layer.byteCount(of: path) }
}
