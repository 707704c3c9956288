import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Synchronization
import TestSupport
import Testing

/// Stores of one small model in one folder, with a zone in memory between them.
final class StoreScenario {
    let folder: TemporaryDirectory
    let model: ManagedObjectModel
    let zone = MemoryZone()
    let clock = TestClock()

    init(model: ManagedObjectModel) throws {
        folder = try TemporaryDirectory()
        self.model = model
    }

    convenience init() throws {
        try self.init(model: try Self.people())
    }

    static func people() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
            }
            EntityDeclaration("Team") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
            }
        }
    }

    /// Returns another version of the model.
    func changedModel(
        _ change: (inout ModelDeclaration) -> Void
    ) throws -> ManagedObjectModel {
        var declaration = model.declaration
        change(&declaration)
        return try ManagedObjectModel(declaration)
    }

    func path(_ name: String) -> String { folder.file(name) }

    func open(
        _ name: String, model: ManagedObjectModel? = nil,
        faults: TransactionFaults? = nil, replica: ReplicaID? = nil,
        options: StoreOptions = StoreOptions(), partBytes: Int? = nil, recordBytes: Int? = nil,
        loadBytes: Int? = nil
    ) throws -> Store {
        let clock = clock
        var environment = StoreEnvironment.system
        if let partBytes { environment.partLimits.byteCount = partBytes }
        if let recordBytes { environment.partLimits.recordBytes = recordBytes }
        if let loadBytes { environment.leastLoadBytes = loadBytes }
        environment.wallMilliseconds = { clock.milliseconds }
        environment.faults = faults
        if let replica { environment.randomBytes = { _ in replica.bytes } }
        return try Store.open(
            at: path(name), model: model ?? self.model, options: options,
            environment: environment)
    }

    var person: EntityDescription { model.entity(named: "Person")! }
    var team: EntityDescription { model.entity(named: "Team")! }
}

/// A wall clock that a test sets.
final class TestClock: Sendable {
    private let time = Mutex<Int64>(1_700_000_000_000)

    var milliseconds: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

/// A log that accepts every change set in the order of arrival.
final class MemoryZone: PartReading {
    let epoch = EpochID(high: 7, low: 7)
    private(set) var log: [ChangeSet] = []
    private var parts: [SavePart: [UInt8]] = [:]

    func bytes(of part: SavePart) throws -> [UInt8] { try #require(parts[part]) }

    /// Copies the parts of a store's save, as the stage of a zone does.
    func takeParts(of set: ChangeSet, from store: Store) throws {
        for (number, part) in try set.parts().enumerated() where parts[part] == nil {
            var bytes: [UInt8] = []
            while bytes.count < part.byteCount {
                let piece = try store.piece(
                    of: set, part: number, from: bytes.count, byteLimit: .max)
                bytes += try #require(piece).bytes
            }
            parts[part] = bytes
        }
    }

    /// Supplies the parts that a store lacks for a page.
    func giveParts(of page: RemotePage, to store: Store) throws {
        while let lacking = try store.lackingPart(of: page) {
            let rest = try bytes(of: lacking.part).dropFirst(lacking.heldBytes)
            try store.keep(Array(rest), of: lacking.part, at: lacking.heldBytes)
        }
    }

    func push(from store: Store) throws {
        let pending = try store.pending(byteLimit: .max)
        try store.makeDurable()
        var acknowledged: [Acknowledged] = []
        for entry in pending {
            let set = entry.changeSet
            try takeParts(of: set, from: store)
            if !log.contains(where: { $0.origin == set.origin }) { log.append(set) }
            let position = log.firstIndex { $0.origin == set.origin }! + 1
            acknowledged.append(Acknowledged(entry, position: UInt64(position)))
        }
        try store.acknowledge(acknowledged, epoch: epoch)
    }

    @discardableResult
    func pull(into store: Store) throws -> ChangedRecords {
        let after = try store.syncState().cursor ?? LogCursor(startOf: epoch)
        let sets = Array(log[Int(after.position)...])
        let cursor = sets.reduce(after) { $0.advanced(over: $1) }
        let decoded = try sets.map { try ChangeSet(decoding: $0.encoded()) }
        let page = RemotePage(changeSets: decoded, after: after, cursor: cursor)
        try giveParts(of: page, to: store)
        return try store.apply(page)
    }

    func sync(_ store: Store) throws {
        try pull(into: store)
        try push(from: store)
    }

    /// Returns the state of the log according to the reference model.
    func reference() throws -> ReferenceMerge {
        var reference = ReferenceMerge()
        for set in log { try reference.apply(set.joined(self)) }
        return reference
    }

    /// Returns the page after a store's cursor, optionally changed.
    func page(
        for store: Store, _ change: (inout [ChangeSet]) -> Void = { _ in }
    ) throws -> RemotePage {
        let after = try store.syncState().cursor ?? LogCursor(startOf: epoch)
        var sets = Array(log[Int(after.position)...])
        change(&sets)
        return RemotePage(
            changeSets: sets, after: after, cursor: sets.reduce(after) { $0.advanced(over: $1) })
    }

    /// Repairs the records of a store that wait for repair, as of the end of the log.
    func repair(_ store: Store) throws {
        let reference = try reference()
        let images = try store.recordsToRepair(limit: .max).map { reference.image(of: $0) }
        guard !images.isEmpty else { return }
        _ = try store.repair(
            images, at: CausalContext.Prefix(epoch: epoch, position: UInt64(log.count)))
    }

    /// Appends a change set that no store has saved.
    func append(_ set: ChangeSet) { log.append(set) }
}

extension Store {
    /// Inserts a person and saves.
    @discardableResult
    func insertPerson(
        _ name: String, age: Int64 = 0, boss: LocalID? = nil, author: String = ""
    ) throws -> LocalID {
        let entity = model.entity(named: "Person")!
        let id = try reserveNumbers(1).lowerBound
        var slots = [PropertyValue](repeating: .null, count: entity.slots.count)
        slots[entity.slotIndex(named: "name")!] = .string(name)
        slots[entity.slotIndex(named: "age")!] = .integer(age)
        if let boss { slots[entity.slotIndex(named: "boss")!] = .integer(boss) }
        var request = SaveRequest(author: author)
        request.inserts = [.init(entity: entity, rows: [(id, slots)])]
        let result = try save(request)
        return result.renamed[id] ?? id
    }

    func row(_ entity: String, _ id: LocalID) throws -> RowSnapshot? {
        try read { reader in
            var found: RowSnapshot?
            try reader.rows(of: model.entity(named: entity)!, ids: [id]) { found = RowSnapshot($0) }
            return found
        }
    }

    func value(_ key: String, of id: LocalID, _ entity: String = "Person") throws -> PropertyValue?
    {
        let slot = model.entity(named: entity)!.slotIndex(named: key)!
        return try row(entity, id).map { $0.slots[slot] }
    }

    /// Changes a person and saves.
    ///
    /// - Parameters:
    ///   - seen: The state of the store that the author of the change has seen; `nil` for the
    ///     present one.
    ///   - isRefusing: True if a value that the author has not seen is a conflict.
    func set(
        _ key: String, _ value: PropertyValue, of id: LocalID, author: String = "",
        seen: RowVersion? = nil, isRefusing: Bool = false
    ) throws {
        let entity = model.entity(named: "Person")!
        guard let row = try row("Person", id) else { return }
        let slot = entity.slotIndex(named: key)!
        var slots = row.slots
        slots[slot] = value
        var request = SaveRequest(author: author)
        request.updates = [
            .init(entity: entity, slots: [slot], rows: [(id, row.version, slots)])
        ]
        if let seen { request.seenVersions[id] = [slot: seen] }
        request.refusesUnseenValues = isRefusing
        _ = try save(request)
    }

    func delete(_ id: LocalID) throws {
        guard let row = try row("Person", id) else { return }
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(id, row.version)])]
        _ = try save(request)
    }

    /// Returns the ID of the same record on another store.
    func id(of id: LocalID, on other: Store) throws -> LocalID {
        try localID(of: other.recordID(of: id)!)!
    }
}

extension Store {
    /// Inserts a record of any entity and saves. Values that are not given are null.
    @discardableResult
    func insert(_ entity: String, _ values: [String: PropertyValue]) throws -> LocalID {
        let entity = model.entity(named: entity)!
        let id = try reserveNumbers(1).lowerBound
        var request = SaveRequest()
        request.inserts = [.init(entity: entity, rows: [(id, slots(of: entity, values))])]
        let result = try save(request)
        return result.renamed[id] ?? id
    }

    func slots(of entity: EntityDescription, _ values: [String: PropertyValue]) -> [PropertyValue] {
        var slots = [PropertyValue](repeating: .null, count: entity.slots.count)
        for (name, value) in values { slots[entity.slotIndex(named: name)!] = value }
        return slots
    }

    /// Inserts people in one save.
    @discardableResult
    func insertPeople(_ count: Int) throws -> [LocalID] {
        let entity = model.entity(named: "Person")!
        let ids = Array(try reserveNumbers(count))
        var request = SaveRequest()
        let rows = ids.enumerated().map {
            (
                id: $1,
                slots: slots(of: entity, ["name": .string("P\($0)"), "age": .integer(Int64($0))])
            )
        }
        request.inserts = [.init(entity: entity, rows: rows)]
        _ = try save(request)
        return ids
    }

    /// Adds or removes a link and saves.
    func link(
        _ owner: LocalID, _ relationship: String, _ other: LocalID, of entity: String = "Person",
        isAdded: Bool = true
    ) throws {
        let relationship = model.entity(named: entity)!.relationships
            .first { $0.name == relationship }!
        var request = SaveRequest()
        request.links = [
            .init(relationship: relationship, owner: owner, other: other, isAdded: isAdded)
        ]
        _ = try save(request)
    }

    /// Returns the related records, in ascending order.
    func related(
        _ owner: LocalID, _ relationship: String, of entity: String = "Person"
    ) throws -> [LocalID] {
        let relationship = model.entity(named: entity)!.relationships
            .first { $0.name == relationship }!
        return try read { try $0.related(by: relationship, of: [owner]).map(\.id).sorted() }
    }

    func update(
        _ entity: String, _ id: LocalID, _ values: [String: PropertyValue],
        version: RowVersion? = nil
    ) throws -> SaveResult {
        let entity = model.entity(named: entity)!
        guard let row = try row(entity.name, id) else {
            throw StoreError(.database, "There is no such row.")
        }
        var slots = row.slots
        for (name, value) in values { slots[entity.slotIndex(named: name)!] = value }
        var request = SaveRequest()
        request.updates = [
            .init(
                entity: row.entity,
                slots: values.keys.map { entity.slotIndex(named: $0)! }.sorted(),
                rows: [(id, version ?? row.version, slots)])
        ]
        return try save(request)
    }
}
