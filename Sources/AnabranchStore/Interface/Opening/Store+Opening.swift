package import AnabranchModel
import AnabranchSQLite

extension Store {
    /// Opens a store file. Creates it if it does not exist and a model is given.
    ///
    /// A file with a model of another version is migrated, if the options allow it. A file that
    /// cannot be opened is left unchanged (invariant 10).
    ///
    /// - Parameter model: The expected model; `nil` uses the file's own, so that any program can
    ///   open any store.
    /// - Throws: ``StoreError``: `cannotOpen`, `notAStore`, `corrupt`, `newerFormat`,
    ///   `modelMismatch`, `migrationNotInferred`, `constraintConflict`, `readOnly`, `diskFull`,
    ///   `busy`, `cancelled`.
    package static func open(
        at path: String, model: ManagedObjectModel?, options: StoreOptions = StoreOptions(),
        environment: StoreEnvironment = .system
    ) throws -> Store {
        try StoreError.translating("open", path: path) {
            let mayCreate = model != nil && !options.isReadOnly
            let connection = try Connection(
                path: path,
                mode: options.isReadOnly ? .readOnly : mayCreate ? .readWriteCreate : .readWrite,
                vfs: environment.vfs, busyTimeout: options.busyTimeout)
            do {
                // Until the file is known to be a store, even its write-ahead log must not be moved
                // into it.
                try connection.keepLogOnClose(true)
                let opening = StoreOpening(
                    connection, path: path, options: options, environment: environment)
                var store = try opening.open(expecting: model)
                try connection.keepLogOnClose(false)
                try store.upgradeTables()
                try store.healClock()
                if let model, store.model.hash == model.hash, !options.isReadOnly,
                    environment.vfs == nil
                {
                    StoreCopy(path: path).remove()
                }
                while let model, store.model.hash != model.hash {
                    // Another process may migrate the file at the same time.
                    do { try store.migrate(to: model) } catch let error as StoreError
                        where error.code == .storeChanged
                    {}
                    store = try opening.open(expecting: model)
                }
                return store
            } catch {
                connection.close()
                throw error
            }
        }
    }
}
