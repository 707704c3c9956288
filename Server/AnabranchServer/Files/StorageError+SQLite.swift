import AnabranchSQLite

extension StorageError {
    /// The error of a storage for a failure of its SQLite file, with the cause and what to do.
    init(_ error: SQLiteError, of path: String) {
        switch error.code {
        case .full:
            self.init(.full, "Can't use \(path) because its disk is full: make room.")
        case .busy, .locked: self.init(.busy, "\(error)")
        // Only a stop interrupts.
        case .interrupt: self = StopSignal.error
        case .corrupt:
            self.init(
                .damaged,
                "Can't read \(path) because \(Self.causeOfDamage(of: path)): restore it from a "
                    + "backup. (SQLite code \(error.extendedCode))")
        case .notADatabase:
            self.init(
                .damaged,
                "Can't read \(path) because it is not a SQLite database, or its first page is "
                    + "damaged: restore it from a backup.")
        // The file was opened before, so descriptors or memory have run out.
        case .cantOpen, .noMemory: self.init(.unavailable, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    /// The possible causes of damage in a SQLite file.
    ///
    /// SQLite merges a log of pages into any file that has the log's name, and then removes it.
    static func causeOfDamage(of path: String) -> String {
        "the file is damaged or cut short, or \(path)-wal belongs to another state of it"
    }

    /// Calls `body` and converts errors of SQLite about the file at a path.
    static func convertingSQLite<Result>(
        of path: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StorageError(error, of: path)
        } catch let error as TableFormatError {
            throw StorageError(error)
        }
    }

    private init(_ error: TableFormatError) {
        let code: Code =
            switch error.cause {
            case .later: .newerFormat
            case .unreleased: .olderFormat
            case .lacking: .damaged
            }
        self.init(code, "\(error)")
    }
}
