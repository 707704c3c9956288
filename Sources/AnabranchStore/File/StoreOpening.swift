import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The steps from a connection to an open store.
struct StoreOpening {
    let connection: Connection
    let path: String
    let options: StoreOptions
    let environment: StoreEnvironment

    init(
        _ connection: Connection, path: String, options: StoreOptions,
        environment: StoreEnvironment
    ) {
        self.connection = connection
        self.path = path
        self.options = options
        self.environment = environment
    }

    func open(expecting model: ManagedObjectModel?) throws -> Store {
        let isEmpty = try checkIsStore()
        if isEmpty {
            guard let model, !options.isReadOnly else {
                throw StoreError(
                    .notAStore,
                    "Can't open \(path) because it is empty. Give a model to create a store.",
                    path: path)
            }
            try create(model)
        }
        return try expectingTables {
            try checkFormat()
            let state = try StoreState.read(connection)
            let encoding = try storedEncoding()
            // If the given model is the file's own, the stored encoding need not be decoded.
            if let model, model.canonicalEncoding == encoding, model.hash == state.model {
                return try store(model, state: state)
            }
            let stored = try decodedModel(encoding)
            try check(model, against: stored, hash: state.model)
            return try store(model ?? stored, state: state)
        }
    }

    private func store(_ model: ManagedObjectModel, state: StoreState) throws -> Store {
        let schema = StoreSchema(model, numbers: try SchemaNumbers.read(connection))
        let replicas = try ReplicaTable.read(connection)
        if !options.isReadOnly { try configureWriter() }
        try StoreFunctions.install(on: connection)
        connection.faults = environment.faults
        return Store(
            path: path, model: model, schema: schema, modelHash: state.model, options: options,
            environment: environment, writer: connection, replicas: replicas)
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

    /// Checks the format number only, because a newer format may have other tables.
    private func checkFormat() throws {
        guard let format = try StoreState.format(connection), format > StoreFormat.version else {
            return
        }
        throw StoreError(
            .newerFormat,
            "Can't open \(path) because its format is \(format) and this program knows formats up "
                + "to \(StoreFormat.version). Update the program.", path: path)
    }

    private func storedEncoding() throws -> [UInt8] {
        let value = try connection.firstValue("SELECT value FROM ab_meta WHERE key = 'model'")
        guard case .blob(let bytes)? = value else {
            throw StoreError(
                .corrupt, "Can't open \(path) because its model is missing. Restore a backup.",
                path: path)
        }
        return bytes
    }

    private func decodedModel(_ bytes: [UInt8]) throws -> ManagedObjectModel {
        do {
            return try StoredModels.model(encodedAs: bytes)
        } catch {
            throw StoreError(
                .corrupt, "Can't open \(path) because its model can't be read: \(error)",
                path: path, underlying: error)
        }
    }

    private func check(
        _ model: ManagedObjectModel?, against stored: ManagedObjectModel, hash: [UInt8]
    ) throws {
        guard let model, model.hash != hash else { return }
        let entity = model.entities.first { entity in
            stored.entity(named: entity.name)?.declaration != entity.declaration
        }
        let place = entity.map { ", beginning with the entity \($0.name)" } ?? ""
        throw StoreError(
            .modelMismatch,
            "Can't open \(path) because it was created with another model\(place). Open it with "
                + "its own model.", path: path, entity: entity?.name)
    }

    private func configureWriter() throws {
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.setDurability(options.durability)
    }

    private func create(_ model: ManagedObjectModel) throws {
        try connection.execute("PRAGMA journal_mode = WAL")
        try StoreFunctions.install(on: connection)
        try connection.transaction(.immediate) {
            // Another process may have created the store meanwhile.
            guard try checkIsStore() else { return }
            try connection.execute("PRAGMA application_id = \(StoreFormat.applicationID)")
            try connection.execute(CoreTables.creation)
            let numbers = SchemaNumbers(numbering: model)
            try numbers.write(connection)
            try createTables(StoreSchema(model, numbers: numbers))
            try writeFirstState(model)
        }
    }

    private func createTables(_ schema: StoreSchema) throws {
        // Tables and indexes share one namespace.
        var names = UniqueNames(
            taken: schema.tables.map(\.plainName) + schema.linkLayouts.map(\.plainName))
        for table in schema.tables {
            for sql in table.creation(indexNames: &names) { try connection.execute(sql) }
        }
        for links in schema.linkLayouts {
            for sql in links.creation(indexNames: &names) { try connection.execute(sql) }
        }
    }

    private func writeFirstState(_ model: ManagedObjectModel) throws {
        try connection.run(
            "INSERT INTO ab_meta (key, value) VALUES ('model', ?)",
            .blob(model.canonicalEncoding))
        try connection.run(
            "INSERT INTO ab_replica (ordinal, id, own, seen) VALUES (0, ?, 1, 0)",
            .blob(try environment.freshReplica().bytes))
        try connection.run("INSERT INTO ab_state (id) VALUES (1)")
        let state = StoreState(
            format: StoreFormat.version, model: model.hash, file: environment.fileIdentity(path),
            ordinal: 0,
            isRenewing: false, clock: HybridClock(), nextNumber: 1, cursor: nil)
        try state.write(connection)
    }
}

extension SchemaNumbers {
    /// Assigns numbers for a new file.
    init(numbering model: ManagedObjectModel) {
        for entity in model.entities {
            entities[entity.wireName] = Int64(entity.index + 1)
        }
        for root in model.entities where root.superentity == nil {
            var namesakes: [WireProperty: EntityDescription] = [:]
            for (place, property) in TableLayout.storedProperties(of: root).enumerated() {
                let wire = property.wireProperty
                // The members of a group have one wire property, and one number, together.
                let namesake = namesakes[wire].map { $0 !== property.entity } ?? false
                let owner = number(of: namesake ? property.entity : root)
                if properties[owner]?[wire] == nil { properties[owner, default: [:]][wire] = place }
                if namesakes[wire] == nil { namesakes[wire] = property.entity }
            }
        }
    }

    static func read(_ connection: Connection) throws -> SchemaNumbers {
        var numbers = SchemaNumbers()
        for row in try connection.rows("SELECT name, number FROM ab_entity") {
            guard case .text(let name) = row[0], case .integer(let number) = row[1] else {
                continue
            }
            numbers.entities[WireName(name)] = number
        }
        let statement = try connection.cached(
            "SELECT entity, number, name, type, rule FROM ab_property")
        while try statement.step() {
            let property = WireProperty(
                name: WireName(statement.string(at: 2)),
                type: WireType(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 3))),
                rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 4))))
            numbers.properties[statement.int64(at: 0), default: [:]][property] =
                Int(statement.int64(at: 1))
        }
        return numbers
    }

    func write(_ connection: Connection) throws {
        for (name, number) in entities {
            try connection.run(
                "INSERT INTO ab_entity (number, name) VALUES (?, ?)", .integer(number),
                .text(name.string))
        }
        for (entity, properties) in properties {
            for (property, number) in properties {
                try connection.run(
                    """
                    INSERT INTO ab_property (entity, number, name, type, rule)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                    .integer(entity), .integer(Int64(number)), .text(property.name.string),
                    .integer(Int64(property.type.rawValue)),
                    .integer(Int64(property.rule.rawValue)))
            }
        }
    }
}
