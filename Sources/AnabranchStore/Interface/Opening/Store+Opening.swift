package import AnabranchModel
import AnabranchSQLite

extension Store {
    /// Opens a store file. Creates it if it does not exist and a model is given.
    ///
    /// A file with a model of another version is migrated, if the options allow it. A file that
    /// cannot be opened is left unchanged (invariant 10). A file that can't be written, or in a
    /// folder that can't be, is opened for reading if it was closed cleanly. If a step of a staged
    /// migration fails, the file stays as the step before has left it.
    ///
    /// - Parameters:
    ///   - model: The expected model; `nil` uses the file's own, so that any program can open any
    ///     store.
    ///   - stages: The stages of a migration; `nil` infers it from the differences between the
    ///     file's version and the given one.
    /// - Throws: ``StoreError``: `cannotOpen`, `notAStore`, `corrupt`, `newerFormat`,
    ///   `modelMismatch`, `migrationNotInferred`, `unusableStages`, `stageFailed`, `stagePending`,
    ///   `constraintConflict`, `readOnly`, `diskFull`, `busy`, `cancelled`.
    package static func open(
        at path: String, model: ManagedObjectModel?, options: StoreOptions = StoreOptions(),
        environment: StoreEnvironment = .system, stages: StoreStages? = nil
    ) throws -> Store {
        try StoreError.translating("open", path: path) {
            let access = try StoreAccess(
                path, mayCreate: model != nil, options: options, environment: environment)
            var options = options
            options.isReadOnly = access.hindrance != nil
            let connection = try Connection(
                path: path, mode: access.mode, vfs: environment.vfs,
                busyTimeout: options.busyTimeout)
            do {
                // Until the file is known to be a store, even its write-ahead log must not be moved
                // into it.
                try connection.keepLogOnClose(true)
                let opening = StoreOpening(
                    connection, path: path, options: options, environment: environment,
                    access: access, stages: stages)
                let store = try opening.open(expecting: model)
                try connection.keepLogOnClose(false)
                try store.healClock()
                guard let model else { return store }
                if store.lacksNothing(of: model), !options.isReadOnly, environment.vfs == nil {
                    StoreCopy(path: path, occasion: .migration, freeBytes: environment.freeBytes)
                        .remove()
                }
                return try opening.migrated(store, to: model)
            } catch {
                connection.close()
                throw error
            }
        }
    }
}
