import CSQLite

/// SQLite's extended codes of failed operations, which Swift does not import.
package enum IOStatus {
    package static let read = SQLITE_IOERR | 1 << 8
    package static let shortRead = SQLITE_IOERR | 2 << 8
    package static let write = SQLITE_IOERR | 3 << 8
    package static let flush = SQLITE_IOERR | 4 << 8
    package static let truncate = SQLITE_IOERR | 6 << 8
    package static let delete = SQLITE_IOERR | 10 << 8
    package static let access = SQLITE_IOERR | 13 << 8
    package static let lock = SQLITE_IOERR | 15 << 8
    package static let indexLock = SQLITE_IOERR | 20 << 8
    package static let deleteMissing = SQLITE_IOERR | 23 << 8
}
