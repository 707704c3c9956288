package import AnabranchModel
import AnabranchSQLite
import Foundation

/// A store that is filled under a temporary name and gets its own name when it is complete.
///
/// A crash leaves no file of that name, or the complete one. The next store that is built for the
/// same name removes the abandoned file. When this value is destroyed before ``finish()``, its file
/// is removed.
package struct StoreBuilding: ~Copyable {
    package let store: Store
    private let file: PartialFile
    private let target: String

    /// Creates an empty store beside the file that it will become.
    ///
    /// - Parameters:
    ///   - target: The path of the file, which may exist.
    ///   - environment: The clock and the randomness, which decide the store's replica ID.
    ///
    /// - Throws: ``StoreError`` with code `cannotOpen` or `diskFull`.
    package init(
        of target: String, model: ManagedObjectModel, environment: StoreEnvironment
    ) throws {
        let partial = try Self.partialFile(of: target)
        let opened = try Store.open(at: partial.path, model: model, environment: environment)
        try opened.withWriter { try $0.execute("PRAGMA cache_size = -\(Self.cacheKibibytes)") }
        self.target = target
        store = opened
        file = partial
    }

    /// The size of the page cache. With SQLite's default, pages of indexes are written to the log
    /// again and again while one transaction fills the store.
    private static let cacheKibibytes = 128 << 10

    private static func partialFile(of target: String) throws -> PartialFile {
        do throws(SystemError) {
            return try PartialFile(of: target, rights: 0o644)
        } catch { throw failure(error, target) }
    }

    deinit { store.close() }

    /// Closes the store and gives the file its name.
    ///
    /// - Throws: ``StoreError`` with code `alreadyExists` if there is a file of that name now. It
    ///   is unchanged.
    package consuming func finish() throws {
        try store.makeDurable()
        store.close()
        do throws(SystemError) {
            try file.synchronize()
            try file.becomeTarget()
            try PartialFile.synchronizeFolder(of: target)
        } catch { throw Self.failure(error, target) }
    }

    private static func failure(_ error: SystemError, _ path: String) -> StoreError {
        let code: StoreError.Code =
            error.isDiskFull ? .diskFull : error.number == EEXIST ? .alreadyExists : .cannotOpen
        return StoreError(
            code, "Can't create \(path) because of the file system: \(error.text).", path: path,
            underlying: error)
    }
}
