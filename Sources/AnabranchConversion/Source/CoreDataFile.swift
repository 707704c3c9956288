import AnabranchSQLite
import Foundation

/// A store of Core Data or SwiftData, open for reading.
///
/// Such a file has a table `Z_METADATA` with its UUID and a table `Z_PRIMARYKEY` with the number of
/// every entity. Numbers differ between versions of a model, so only the names are used.
final class CoreDataFile {
    let files: SourceFiles
    let connection: Connection
    let uuid: String
    /// The numbers of the entities by name, without those of the history.
    let numbers: [String: Int64]
    /// The number of each entity's super-entity, by its own number; 0 for a root.
    let parents: [Int64: Int64]

    /// The first number of the entities of the history.
    static let firstHistoryNumber: Int64 = 16_000

    /// Opens a source.
    ///
    /// - Parameter folder: The folder for a copy, if one is needed.
    ///
    /// - Throws: ``ConversionError``.
    init(path: String, copyingTo folder: URL) throws {
        files = try SourceFiles(path, copyingTo: folder)
        do {
            connection = try Connection(
                path: files.readPath, mode: files.isCopy ? .readWrite : .immutable)
            let tables = Set(
                try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
                    .compactMap { $0.first?.text })
            guard tables.contains("Z_METADATA"), tables.contains("Z_PRIMARYKEY") else {
                throw ConversionError(
                    .notAStore, path: path,
                    "Can't convert \(path) because it is a database, but not a store of Core Data "
                        + "or SwiftData.")
            }
            uuid = try Self.uuid(connection, path)
            (numbers, parents) = try Self.entities(connection)
        } catch let error as SQLiteError {
            throw ConversionError(reading: path, error)
        }
    }

    private static func uuid(_ connection: Connection, _ path: String) throws -> String {
        let uuid = try connection.firstValue("SELECT Z_UUID FROM Z_METADATA LIMIT 1")?.text ?? ""
        guard !uuid.isEmpty else {
            throw ConversionError(
                .corrupt, path: path, "Can't convert \(path) because it has no UUID.")
        }
        return uuid
    }

    private static func entities(
        _ connection: Connection
    ) throws -> (numbers: [String: Int64], parents: [Int64: Int64]) {
        var numbers: [String: Int64] = [:]
        var parents: [Int64: Int64] = [:]
        let statement = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        while try statement.step() {
            let number = statement.int64(at: 0)
            guard number < firstHistoryNumber else { continue }
            numbers[statement.string(at: 1)] = number
            parents[number] = statement.int64(at: 2)
        }
        return (numbers, parents)
    }
}

extension SQLiteValue {
    var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension ConversionError {
    /// The error for a source that SQLite cannot read.
    init(reading path: String, _ error: SQLiteError) {
        switch error.code {
        case .notADatabase:
            self.init(
                .notAStore, path: path,
                "Can't convert \(path) because it is not a SQLite database.")
        case .cantOpen:
            self.init(.cannotOpen, path: path, "Can't convert \(path) because it can't be opened.")
        default:
            self.init(
                .corrupt, path: path,
                "Can't convert \(path) because it can't be read: \(error.message)")
        }
    }
}
