import CSQLite

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
        _ = registration
        return registeredName
    }()

    private static let registeredName = "anabranch-memory"
    private static let layer = MemoryLayer()

    /// `nil` where SQLite knows no files of the system's, whose randomness, sleep and time of day
    /// these have.
    private static let registration = sqlite3_vfs_find(nil).map {
        FileLayerRegistration(of: layer, as: registeredName, over: $0.pointee)
    }

    /// What a database takes now with its log; 0 where nobody has it open.
    public static func byteCount(of path: String) -> Int { layer.byteCount(of: path) }
}
