import CSQLite

/// SQLite's extended codes of failed operations, which are no constants to Swift.
enum IOFailure {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let flush = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let delete = SQLITE_IOERR | 10 << 8
    static let access = SQLITE_IOERR | 13 << 8
    static let lock = SQLITE_IOERR | 15 << 8
    static let memoryLock = SQLITE_IOERR | 20 << 8
    static let deleteMissing = SQLITE_IOERR | 23 << 8
}
