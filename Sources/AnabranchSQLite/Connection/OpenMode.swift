import CSQLite

/// What a connection may do with its file.
public enum OpenMode: Sendable {
    /// Reads and writes; a missing file is created, a missing directory is not.
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
