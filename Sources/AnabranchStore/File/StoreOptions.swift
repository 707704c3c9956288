import AnabranchSQLite

/// The options with which a store file is opened.
public struct StoreOptions: Sendable {
    /// How well a save is protected against a power failure.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Durability: Sendable {
        /// A save survives the end of the process. The last saves may be lost in a power failure.
        case normal
        /// A save is on the disk when it returns.
        case full
    }

    /// The protection of saves against a power failure.
    public var durability: Durability = .normal
    /// The greatest number of connections that read at the same time.
    public var readerCount = 4
    /// The greatest number of bytes of the file that the connection which writes keeps in memory.
    ///
    /// It is SQLite's page cache. A program that saves or receives very many objects at once is
    /// faster if the parts of the indexes that it changes fit: otherwise they are written to the
    /// write-ahead log several times within one save.
    public var writerCacheByteCount = 2 << 20
    /// The greatest time to wait for another process that is writing.
    public var busyTimeout: Duration = .seconds(5)
    /// True to open the file for reading only.
    public var isReadOnly = false
    /// The greatest time for which a context stays pinned to one state of the store (a query
    /// generation). SQLite cannot shorten its write-ahead log while a state is kept.
    public var generationLifetime: Duration = .seconds(600)
    /// The retention rule of the conflict journal; by default it keeps the newest 100,000 entries.
    public var conflictRetention = ConflictRetention.standard
    /// The retention rule of the log; by default it keeps the saves of 30 days.
    public var logRetention = LogRetention.standard

    /// True to migrate a file if its model has another version than the given one. With false, such
    /// a file is refused with `modelMismatch`.
    public var migratesStoreAutomatically = true
    /// True to infer the migration from the differences between the two versions.
    public var infersMapping = true
    /// True to keep a copy of the file while it is migrated, as `FILE.before-migration`.
    ///
    /// The copy is removed when the file is opened again with its new model. Before anything is
    /// changed, the store checks that the disk has room for the copy. A store in memory has none.
    public var keepsCopyWhenMigrating = false
    /// Follows a migration, and can cancel it.
    public var migrationProgress: MigrationProgress?

    /// Creates the default options.
    public init() {}
}

extension Connection {
    /// Lets all flushes of the connection reach the drive, and sets what commits survive.
    ///
    /// On Apple's systems an ordinary flush ends in the drive's cache, which a loss of power
    /// empties. These settings ask for the one that does not; elsewhere SQLite ignores them. They
    /// do not make SQLite flush more often.
    ///
    /// Source: fcntl(2) of Darwin, `F_FULLFSYNC`; <https://www.sqlite.org/pragma.html>.
    func configureFlushes(_ durability: StoreOptions.Durability) throws {
        try execute("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        try execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
    }
}
