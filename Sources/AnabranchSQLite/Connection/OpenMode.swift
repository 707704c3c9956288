import CSQLite

/// The access of a connection to its file.
public enum OpenMode: Sendable {
    /// Reads and writes; creates a missing file, but not a missing directory.
    case readWriteCreate
    /// Reads and writes a file that exists.
    case readWrite
    /// Reads a file that exists.
    case readOnly

    var flags: Int32 {
        switch self {
        case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readWrite: SQLITE_OPEN_READWRITE
        case .readOnly: SQLITE_OPEN_READONLY
        }
    }
}
