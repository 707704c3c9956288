extension StorageError {
    /// The error of a storage for a failure of its database.
    init(_ error: PostgreSQLError) {
        switch error.kind {
        case .unavailable: self.init(.unavailable, error.description)
        case .busy, .conflict: self.init(.busy, error.description)
        case .full: self.init(.full, error.description)
        case .other: self.init(.failed, error.description)
        }
    }

    /// Calls `body` and converts errors of the database.
    static func convertingPostgreSQL<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as PostgreSQLError { throw StorageError(error) }
    }
}
