import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
public import Foundation

/// The export of a store's objects as plain tables of a new SQLite database, for other tools.
///
/// Each entity that is not abstract has a table of its name with a text `id`, a column for each
/// attribute, inherited and derived ones included, and one with the `id` of each to-one's object. A
/// to-many that is a list or has no to-one as its inverse has a table such as `Book_authors`, with
/// the columns `owner`, `member` and, for a list, `position` from 0.
///
/// Dates are seconds since 1970-01-01 UTC, the form `seconds-since-1970` of `anabranch import`.
/// They are the nearest doubles. A date keeps its microsecond, but the last bit of a finer fraction
/// can be lost, because a double holds seconds since 2001 more finely than seconds since 1970.
///
/// UUIDs and decimals are texts, and booleans are 0 and 1. A double that is NaN is the text `NaN`,
/// because SQLite would store NULL. If names differ in case only, or a property is called `id`, a
/// number is behind the name.
public struct TableExport {
    /// The store.
    public let store: URL

    /// Prepares an export.
    public init(store: URL) { self.store = store }

    /// Writes the tables.
    ///
    /// - Parameter database: The file of the new database, which appears when it is complete.
    /// - Returns: The number of objects.
    /// - Throws: `StoreError`; ``ConversionError`` with code `otherStore` if the file exists, or
    ///   `cannotWrite` if it can't be written. There is then no new file.
    public func run(to database: URL) throws -> Int {
        let path = database.path
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ConversionError(
                .otherStore, path: path,
                "Can't export to \(path) because the file exists already. Choose another name.")
        }
        let partial = "\(path).\(UUID().uuidString).partial"
        defer { try? FileManager.default.removeItem(atPath: partial) }
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store.open(at: self.store.path, model: nil, options: options)
        defer { store.close() }
        do {
            let connection = try Connection(path: partial)
            defer { connection.close() }
            // The file has its name only when it is complete, so it needs no journal.
            try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            let count = try store.read { reader in
                var writer = TableWriter(reader: reader, replicas: store, connection)
                return try connection.transaction { try writer.writeAll() }
            }
            connection.close()
            try FileManager.default.moveItem(atPath: partial, toPath: path)
            return count
        } catch let error as SQLiteError {
            throw ConversionError(
                .cannotWrite, path: path,
                "Can't export to \(path) because it can't be written: \(error.message)")
        } catch let error as CocoaError {
            throw ConversionError(
                .cannotWrite, path: path,
                "Can't export to \(path) because of the file system: "
                    + error.localizedDescription)
        }
    }
}
