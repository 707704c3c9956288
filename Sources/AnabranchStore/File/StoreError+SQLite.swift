import AnabranchReplication
import AnabranchSQLite

extension StoreError {
    /// Translates an SQLite error into a store error with a cause and advice.
    init(_ error: SQLiteError, doing verb: String, path: String) {
        let code: Code
        let cause: String
        switch error.code {
        case .notADatabase:
            (code, cause) = (.notAStore, "it is not a SQLite database")
        case .corrupt:
            (code, cause) = (.corrupt, "the file is damaged; restore a backup")
        case .readOnly:
            (code, cause) = (.readOnly, "the file or its folder can't be written")
        case .full:
            (code, cause) = (.diskFull, "the disk is full; make room and try again")
        case .busy, .locked:
            (code, cause) = (.busy, "another process is writing; try again")
        case .tooBig:
            (code, cause) = (
                .recordTooLarge,
                "a record would hold more than a row can; make one of its values smaller"
            )
        case .cantOpen:
            (code, cause) = (.cannotOpen, "there is no such file, or no permission to open it")
        default:
            (code, cause) = (.database, error.message)
        }
        self.init(code, "Can't \(verb) \(path) because \(cause).", path: path, underlying: error)
    }

    /// Reports bytes of the file that cannot be decoded.
    private init(_ damage: ChangeSetDecodingError, doing verb: String, path: String) {
        self.init(
            .corrupt, "Can't \(verb) \(path) because it has data that can't be decoded: \(damage)",
            path: path, underlying: damage)
    }

    /// Runs a body and translates its SQLite errors into store errors.
    static func translating<Result>(
        _ verb: String, path: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw translated(error, doing: verb, path: path)
        }
    }

    /// The store error for an error of SQLite or of decoding; any other error as it is.
    ///
    /// Bytes of the file that cannot be decoded are damage, because data from elsewhere was checked
    /// when it arrived.
    static func translated(_ error: any Error, doing verb: String, path: String) -> any Error {
        switch error {
        case let error as SQLiteError:
            if let damage = error.underlying as? ChangeSetDecodingError {
                return StoreError(damage, doing: verb, path: path)
            }
            return StoreError(error, doing: verb, path: path)
        case let error as TableFormatError:
            let isLater = if case .later = error.cause { true } else { false }
            return StoreError(
                isLater ? .newerFormat : .corrupt, "\(error)", path: path, underlying: error)
        case let error as ChangeSetDecodingError:
            return StoreError(error, doing: verb, path: path)
        case let error as StoreError where error.path == nil:
            return StoreError(
                error.code, error.message, path: path, entity: error.entity,
                property: error.property, records: error.records, underlying: error.underlying)
        default: return error
        }
    }
}
