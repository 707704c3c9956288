import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension StoreOpening {
    /// The canonical encoding of the file's model.
    func storedEncoding() throws -> [UInt8] {
        guard let bytes = try connection.meta("model") else {
            throw StoreError(
                .corrupt, "Can't open \(path) because its model is missing. Restore a backup.",
                path: path)
        }
        return bytes
    }

    func decodedModel(_ bytes: [UInt8]) throws -> ManagedObjectModel {
        do {
            return try StoredModels.model(encodedAs: bytes)
        } catch {
            throw StoreError(
                .corrupt, "Can't open \(path) because its model can't be read: \(error)",
                path: path, underlying: error)
        }
    }

    /// The work that opening a file with another model than its own requires.
    enum Step {
        /// Nothing: the file is only read.
        case read
        /// The model replaces the file's own, and the tables stay.
        case takeOver
        /// The tables are replaced.
        case migrate
    }

    /// Decides what has to be done to open the file with a model.
    ///
    /// - Parameter stored: The file's own model, which differs.
    /// - Throws: `modelMismatch` if the file may not be migrated, `migrationNotInferred` if it
    ///   can't be.
    func step(from stored: ManagedObjectModel, to model: ManagedObjectModel) throws -> Step {
        if model.hasVersion(of: stored) {
            if options.isReadOnly { return .read }
            // Columns show defaults.
            if try tables(of: stored) == tables(of: model) { return .takeOver }
        }
        if !model.hasVersion(of: stored) { try checkMayMigrate(from: stored, to: model) }
        // Without a step between versions, only defaults differ, and the migration is inferred.
        if try stages?.steps(from: stored, to: model, path: path).isEmpty ?? true {
            _ = try Self.inferredMigration(from: stored, to: model, path: path)
        }
        return .migrate
    }

    /// The form of a table, which decides the values in its columns.
    private struct TableForm: Equatable {
        let creation: String
        let groupDefaults: [GroupDefaults]
    }

    private func tables(of model: ManagedObjectModel) throws -> [TableForm] {
        StoreSchema(model, numbers: try SchemaNumbers.read(connection)).tables.map { table in
            TableForm(
                creation: table.creation,
                groupDefaults: table.properties.compactMap(\.group?.defaults).filter(\.isNeeded))
        }
    }

    var mayMigrate: Bool {
        options.migratesStoreAutomatically && options.infersMapping && !options.isReadOnly
    }

    private func checkMayMigrate(
        from stored: ManagedObjectModel, to model: ManagedObjectModel
    ) throws {
        guard !mayMigrate else { return }
        let entity = model.firstEntity(withOtherVersionIn: stored)
        throw StoreError(
            .modelMismatch,
            "Can't open \(path) because its model has another version"
                + (entity.map { ", beginning with the entity \($0.name)" } ?? "")
                + ". Open it for writing with migratesStoreAutomatically and infersMapping, or "
                + "with a model of its own version.", path: path, entity: entity?.name)
    }

    /// Infers a migration.
    ///
    /// - Parameter version: The name of the new version, if the migration is a step to it.
    static func inferredMigration(
        from stored: ManagedObjectModel, to model: ManagedObjectModel, path: String,
        toVersion version: String? = nil
    ) throws -> InferredMigration {
        do throws(MigrationError) {
            return try InferredMigration(from: stored, to: model)
        } catch {
            // The order of the versions is known of a step.
            let hint = version == nil && hasWider(stored, than: model) ? laterVersionHint : ""
            throw StoreError(
                .migrationNotInferred,
                "Can't migrate \(path)\(version.map { " to version '\($0)'" } ?? ""):\n\(hint)"
                    + "\(error)",
                path: path,
                entity: error.problems.first?.entity, property: error.problems.first?.property,
                underlying: error)
        }
    }

    private static let laterVersionHint =
        "The file may be of a later version of the model, because its types are wider. If a later "
        + "version of the app has written it, open it with that one. If not:\n"

    /// Returns true if a model becomes the stored one by wider types, or by a to-one that becomes
    /// to-many, as in a file that a later version of an app has migrated.
    private static func hasWider(
        _ stored: ManagedObjectModel, than model: ManagedObjectModel
    ) -> Bool {
        guard let upgrade = try? InferredMigration(from: model, to: stored) else { return false }
        return upgrade.changes.contains { change in
            switch change {
            case .typeWidened,
                .cardinalityChanged(entity: _, property: _, isToMany: true):
                true
            default: false
            }
        }
    }

    /// Replaces the file's model by another one of the same version, in one transaction.
    ///
    /// The records stay as they are. Indexes that only one of the models has are made or dropped,
    /// those of words too.
    ///
    /// - Returns: The hash of the model.
    func takeOver(_ model: ManagedObjectModel) throws -> [UInt8] {
        try configureWriter()
        try StoreFunctions.install(on: connection)
        connection.faults = environment.faults
        return try connection.transaction(.immediate) {
            // Another process may have given the file another model meanwhile.
            try checkFormat()
            var state = try StoreState.read(connection)
            let stored = try decodedModel(try storedEncoding())
            guard try step(from: stored, to: model) == .takeOver else {
                throw StoreError(
                    .storeChanged,
                    "Can't open \(path) because another program has upgraded it. Open it again.",
                    path: path)
            }
            try replaceIndexes(of: stored, byThoseOf: model)
            try connection.writeModel(model)
            state.model = model.hash
            try state.write(connection)
            return state.model
        }
    }

    private func replaceIndexes(
        of stored: ManagedObjectModel, byThoseOf model: ManagedObjectModel
    ) throws {
        let numbers = try SchemaNumbers.read(connection)
        let (stored, model) = (
            StoreSchema(stored, numbers: numbers), StoreSchema(model, numbers: numbers)
        )
        let (former, wanted) = (stored.indexes, model.indexes)
        for index in Set(former).subtracting(wanted).sorted(by: { $0.name < $1.name }) {
            try connection.execute("DROP INDEX IF EXISTS \(index.name)")
        }
        for index in wanted where !former.contains(index) {
            try connection.execute(index.creation)
        }
        try connection.removeSearchTables(of: stored, unlessIn: model)
        try connection.createSearchTables(of: model, unlessIn: stored)
    }
}
