public import AnabranchModel
import AnabranchStore

extension StagedMigration.Stage {
    /// The author of the changes that stages save.
    public static let author = "migration"

    /// Creates a stage in which code of the app runs before and after the migration from one
    /// version to the next.
    ///
    /// The closures run within ``PersistentContainer/load()``, so they must not use the container.
    /// Each gets a context of its own, in which objects have no classes: read and write their
    /// properties by name. The context is saved after the call, as one change set with the author
    /// `migration` and the stage's label as its name. A save within a closure puts the changes
    /// aside until then. If a closure throws, nothing of its changes is saved, and opening the
    /// store throws `StoreError` with code `stageFailed` and this error as the underlying one.
    ///
    /// Both closures may run more than once, after an error or after the end of the process. What
    /// `didMigrate` saves and the completion of the stage are one transaction, so its changes are
    /// saved once. Until then other programs can't write the store. Don't pass values from one
    /// closure to the other in memory: after a crash only `didMigrate` runs again.
    ///
    /// - Parameters:
    ///   - label: The name of the stage for errors and for the history.
    ///   - source: The version before the stage.
    ///   - destination: The version after the stage, which is the next one.
    ///   - willMigrate: Prepares the store while it has the version before the stage, for example
    ///     resolves what a new unique key would refuse. It gets a context of that version. If the
    ///     migration then fails, the changes stay saved.
    ///   - didMigrate: Completes the store when it has the version after the stage. It gets a
    ///     context of that version, and the records as they were before. See ``StagedMigration``
    ///     for what makes it deterministic. `nil` if nothing is left to do then.
    public static func custom(
        _ label: String, from source: ManagedObjectModelReference,
        to destination: ManagedObjectModelReference,
        willMigrate: (@Sendable (ManagedObjectContext) throws -> Void)? = nil,
        didMigrate: (@Sendable (ManagedObjectContext, FormerRecords) throws -> Void)?
    ) -> Self {
        var prepare: (@Sendable (Store) throws -> Void)?
        if let willMigrate {
            prepare = { store in try change(store, label) { try willMigrate($0) } }
        }
        var complete: (@Sendable (Store, ManagedObjectModel) throws -> Void)?
        if let didMigrate {
            complete = { store, former in
                let records = FormerRecords(store, model: former)
                try change(store, label) { try didMigrate($0, records) }
            }
        }
        let code = StoreStages.Code(label: label, willMigrate: prepare, didMigrate: complete)
        return Self(versions: .custom(source, destination), code: code)
    }

    /// Runs a body with a context, and saves all its changes in one transaction.
    private static func change(
        _ store: Store, _ label: String, by body: (ManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = try PersistentStoreCoordinator(migrating: store)
        try BackgroundContext(coordinator: coordinator).performAndWait { context in
            context.transactionAuthor = author
            context.name = label
            // The body may save, and then throw: nothing may be written before it has returned.
            let edits = context.newChildContext()
            try body(edits)
            try edits.save()
            try context.save()
        }
    }
}
