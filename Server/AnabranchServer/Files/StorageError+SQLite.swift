import AnabranchSQLite

extension StorageError {
    /// The error of a storage for a failure of its SQLite file.
    init(_ error: SQLiteError) {
        switch error.code {
        case .full: self.init(.full, "\(error)")
        case .busy, .locked: self.init(.busy, "\(error)")
        // The file was opened before, so descriptors or memory have run out.
        case .cantOpen, .noMemory: self.init(.unavailable, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    /// Calls `body` and converts errors of SQLite.
    static func convertingSQLite<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError { throw StorageError(error) }
    }
}
