import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Foundation

/// The steps from a connection to an open store.
struct StoreOpening {
    let connection: Connection
    let path: String
    let options: StoreOptions
    let environment: StoreEnvironment
    let access: StoreAccess
    /// The stages of a migration; `nil` if a migration is inferred as a whole.
    let stages: StoreStages?

    init(
        _ connection: Connection, path: String, options: StoreOptions,
        environment: StoreEnvironment, access: StoreAccess, stages: StoreStages? = nil
    ) {
        self.access = access
        self.stages = stages
        self.connection = connection
        self.path = path
        self.options = options
        self.environment = environment
    }

    /// Opens the file.
    ///
    /// - Parameter model: The expected model.
    /// - Returns: A store with the expected model, or with the file's own if none is expected or a
    ///   migration to the expected one has to follow. A file that waits for a stage is only read if
    ///   no model is expected.
    func open(expecting model: ManagedObjectModel?) throws -> Store {
        let isEmpty = try checkIsStore()
        if isEmpty {
            guard let model, !options.isReadOnly else {
                let creation =
                    options.isReadOnly
                    ? "Only an opening for writing creates a store in it."
                    : "Give a model to create a store in it."
                throw StoreError(
                    .notAStore,
                    "Can't open \(path) because it is empty. \(creation) If it is the copy of a "
                        + "store in use, copy its write-ahead log \(path)-wal as well.",
                    path: path)
            }
            try create(model)
        }
        return try expectingTables {
            try updateFormat()
            let hash = try StoreState.model(connection)
            let encoding = try storedEncoding()
            if let pending = try PendingStage.read(connection, path: path) {
                return try open(
                    pending, stored: try decodedModel(encoding), expecting: model, hash: hash)
            }
            // If the given model is the file's own, the stored encoding need not be decoded.
            if let model, model.canonicalEncoding == encoding, model.hash == hash {
                return try store(model, hash: hash)
            }
            let stored = try decodedModel(encoding)
            guard let model, model.hash != hash else {
                return try store(model ?? stored, hash: hash)
            }
            switch try step(from: stored, to: model) {
            case .read: return try store(model, hash: hash)
            case .takeOver: return try store(model, hash: takeOver(model))
            case .migrate: return try store(stored, hash: hash)
            }
        }
    }

    private func open(
        _ pending: PendingStage, stored: ManagedObjectModel, expecting model: ManagedObjectModel?,
        hash: [UInt8]
    ) throws -> Store {
        guard let model else {
            var reading = options
            reading.isReadOnly = true
            return try StoreOpening(
                connection, path: path, options: reading, environment: environment, access: access
            ).store(stored, hash: hash, waitingFor: pending)
        }
        guard let stages, mayMigrate else { throw pending.error("open", path: path) }
        _ = try stages.step(of: pending, stored: stored, path: path)
        _ = try stages.steps(from: stored, to: model, path: path)
        return try store(stored, hash: hash, waitingFor: pending)
    }

    private func store(
        _ model: ManagedObjectModel, hash: [UInt8], waitingFor pending: PendingStage? = nil
    ) throws -> Store {
        // A damaged row is reported now.
        _ = try StoreState.read(connection)
        let numbers = try SchemaNumbers.read(connection)
        if let lacking = numbers.unnumbered(in: model) {
            throw StoreError(
                .corrupt,
                "Can't open \(path) because the number of \(lacking) is missing. Restore a backup.",
                path: path)
        }
        let schema = StoreSchema(model, numbers: numbers)
        let replicas = try ReplicaTable.read(connection)
        if !options.isReadOnly { try configureWriter() }
        try StoreFunctions.install(on: connection)
        connection.faults = environment.faults
        return try Store(
            path: path, model: model, schema: schema, modelHash: hash, options: options,
            environment: environment, access: access, writer: connection, replicas: replicas,
            pendingStage: pending)
    }

    /// Reports a missing core table or column as damage.
    private func expectingTables<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .error {
            throw StoreError(
                .corrupt,
                "Can't open \(path) because a core table is damaged: "
                    + error.message, path: path, underlying: error)
        }
    }

    /// Checks that the file is a store.
    ///
    /// - Returns: True if the file is new and empty.
    private func checkIsStore() throws -> Bool {
        // Another process may create the store between the two reads. It adds the tables and the
        // application ID in one transaction, so a file with tables already has the ID.
        let tables = try connection.firstValue("SELECT count(*) FROM sqlite_master")
        let application = try connection.firstValue("PRAGMA application_id")
        if application == .integer(StoreFormat.applicationID) { return false }
        guard application == .integer(0), tables == .integer(0) else {
            throw StoreError(
                .notAStore,
                "Can't open \(path) because it is a SQLite database of another program.",
                path: path)
        }
        return true
    }

    /// Brings a file of an earlier format into the latest one, and checks that it has all tables.
    func updateFormat(by format: TableFormat = StoreFormat.tables) throws {
        guard let found = try StoreState.format(connection) else { return }
        guard found < format.latest else { return try format.update(connection, from: found) }
        try format.check(found, of: connection)
        guard !options.isReadOnly else {
            throw StoreError(
                .readOnly,
                "Can't read \(path) because an earlier version wrote it. Open it once for writing.",
                path: path)
        }
        try connection.transaction(.immediate) {
            // Another process may have updated it meanwhile.
            let found = try StoreState.format(connection) ?? found
            try format.update(connection, from: found)
            try connection.run("UPDATE ab_state SET format = ?", .integer(format.latest))
        }
    }

    /// Checks the format number only, because a newer format may have other tables.
    func checkFormat() throws {
        guard let found = try StoreState.format(connection) else { return }
        try StoreFormat.tables.check(found, of: connection)
    }

    func configureWriter() throws {
        try writeAhead()
        try connection.configureFlushes(options.durability)
        let cacheKibibytes = max(options.writerCacheByteCount >> 10, 1)
        try connection.execute("PRAGMA cache_size = -\(cacheKibibytes)")
        // SQLite 3.40 allows the triggers of the tables of words only in a trusted schema.
        try connection.trustSchema()
    }

    /// Makes the file use a write-ahead log.
    ///
    /// SQLite does not wait if another connection writes the file for the first time at this
    /// moment, so this waits.
    private func writeAhead() throws {
        let end = ContinuousClock.now + options.busyTimeout
        while true {
            do {
                return try connection.execute("PRAGMA journal_mode = WAL")
            } catch let error as SQLiteError where error.code == .busy && ContinuousClock.now < end
            {
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
    }

    /// The seconds between two tries to use a write-ahead log.
    private static let pause = 0.01

    private func create(_ model: ManagedObjectModel) throws {
        try writeAhead()
        try StoreFunctions.install(on: connection)
        try connection.transaction(.immediate) {
            // Another process may have created the store meanwhile.
            guard try checkIsStore() else { return }
            try connection.execute("PRAGMA application_id = \(StoreFormat.applicationID)")
            try connection.execute(StoreFormat.tables.creation)
            _ = try connection.install(model)
            try writeFirstState(model)
        }
    }

    private func writeFirstState(_ model: ManagedObjectModel) throws {
        try connection.run(
            "INSERT INTO ab_replica (ordinal, id, own, seen) VALUES (0, ?, 1, 0)",
            .blob(try environment.freshReplica().bytes))
        try connection.run("INSERT INTO ab_state (id) VALUES (1)")
        let state = StoreState(
            format: StoreFormat.version, model: model.hash, file: environment.fileIdentity(path),
            ordinal: 0,
            isRenewing: false, clock: HybridClock(), nextNumber: 1, cursor: nil,
            head: StoreState.Head(ordinal: 0))
        try state.write(connection)
    }
}
