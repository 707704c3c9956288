import Anabranch
import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Stores, engines and a zone in one folder, with clocks that a test sets.
final class EngineScenario: Sendable {
    let folder: TemporaryDirectory
    let names: SmallModel
    let zone: ZoneService
    let serverClock = SettableClock()
    /// The times for which the engines have asked to wait. Each wait ends after a millisecond.
    let sleeps = Mutex<[Duration]>([])

    init(
        bodyBytes: Int? = nil, limits: ZoneLimits = ZoneLimits(),
        validation: PushValidation? = nil
    ) throws {
        folder = try TemporaryDirectory("engine")
        names = try SmallModel()
        let storage = try SQLiteZoneStorage(path: folder.file("zone.db"), creating: true) {
            EpochID(high: 0xE, low: 0xE)
        }
        var limits = limits
        if let bodyBytes { limits.bodyBytes = bodyBytes }
        let clock = serverClock
        zone = ZoneService(
            name: try ZoneName("family"), storage: storage, limits: limits,
            validation: validation, wallMilliseconds: { clock.milliseconds })
    }

    /// - Parameter firstReplica: The replica ID of a new file; later ones are random.
    func open(
        _ name: String, clock: SettableClock = SettableClock(), firstReplica: ReplicaID? = nil,
        partBytes: Int? = nil, model: ManagedObjectModel? = nil
    ) throws -> Store {
        var environment = StoreEnvironment.system
        if let partBytes { environment.partLimits.byteCount = partBytes }
        environment.wallMilliseconds = { clock.milliseconds }
        if let firstReplica {
            let isGiven = Mutex(false)
            let random = environment.randomBytes
            environment.randomBytes = { count in
                let isFirst = isGiven.withLock { given in
                    defer { given = true }
                    return !given
                }
                return isFirst ? firstReplica.bytes : try random(count)
            }
        }
        return try Store.open(
            at: folder.file(name), model: model ?? names.model, environment: environment)
    }

    func transport(
        seed: UInt64 = 0, faults: FaultyNetwork.Faults = .none
    ) -> MemoryTransport {
        MemoryTransport(ZoneEndpoint(zone), seed: seed, faults: faults)
    }

    func engine(
        _ store: Store, _ transport: (any Transport)? = nil, zone: String = "family",
        clock: SettableClock? = nil, _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> SyncEngine {
        let server = try #require(URL(string: "https://sync.example/"))
        let address = try ServerAddress(
            server: server, zone: zone, token: "secret", allowingPlainHTTP: false)
        var environment = SyncEnvironment.system
        if let clock { environment.wallMilliseconds = { clock.milliseconds } }
        environment.sleep = { [weak self] duration in
            self?.sleeps.withLock { $0.append(duration) }
            try Task.checkCancellation()
            try await Task.sleep(for: .milliseconds(1))
        }
        var options = SyncOptions()
        change(&options)
        return try SyncEngine(
            side: StoreExecutor(store), address: address, transport: transport ?? self.transport(),
            options: options, environment: environment)
    }

    /// Returns an engine of a container, with a clock that agrees with the server's.
    ///
    /// Both show the time of this call. If they differed, a slow exchange would move the times of
    /// the container's later saves, and another write could win than the later one.
    func engine(
        _ container: PersistentContainer, _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> SyncEngine {
        let address = try ServerAddress(
            server: #require(URL(string: "https://sync.example")), zone: "family", token: nil,
            allowingPlainHTTP: false)
        let clock = serverClock
        clock.milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
        var environment = SyncEnvironment.system
        environment.wallMilliseconds = { clock.milliseconds }
        var options = SyncOptions()
        change(&options)
        return try SyncEngine(
            coordinator: container.coordinator, address: address, transport: transport(),
            options: options, environment: environment)
    }

    /// Copies a store's file, as `cp` does.
    func copy(_ name: String, to copy: String) throws {
        for suffix in ["", "-wal"] {
            let source = folder.file(name) + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: folder.file(copy) + suffix)
        }
    }

    /// Overwrites the file of a closed store, which keeps its identity: only the zone can detect
    /// that.
    func overwrite(_ name: String, with content: Data) throws {
        let path = folder.file(name)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: content)
        try handle.close()
    }

    func content(of name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: folder.file(name)))
    }

    /// Returns the zone's whole log, as a new client receives it.
    func log() throws -> [ChangeSet] { try Self.log(of: zone) }

    static func log(of zone: ZoneService) throws -> [ChangeSet] {
        var cursor: LogCursor?
        var sets: [ChangeSet] = []
        while true {
            let page = try zone.pull(PullRequest(cursor: cursor, byteLimit: 1 << 20))
            sets += try page.changeSets.map { try ChangeSet(decoding: $0) }
            cursor = page.cursor
            if page.cursor.position >= page.headPosition { return sets }
        }
    }

    /// Checks that the stores and the zone have one state.
    func expectConverged(_ stores: [Store]) throws {
        let hash = try zone.canonicalHash().hash
        for store in stores { #expect(try store.canonicalHash() == hash) }
    }
}

/// A model of people with a name and an age.
struct SmallModel: Sendable {
    let model: ManagedObjectModel
    let person: EntityDescription
    let name: Int
    let age: Int

    init(ageRule: MergeRule = .lastWriter) throws {
        model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64, mergeRule: ageRule)
            }
        }
        person = try #require(model.entity(named: "Person"))
        name = try #require(person.slotIndex(named: "name"))
        age = try #require(person.slotIndex(named: "age"))
    }
}

extension Store {
    @discardableResult
    func insert(
        _ name: String, age: Int64 = 0, by author: String = "app", _ names: SmallModel
    ) throws -> LocalID {
        let id = try reserveNumbers(1).lowerBound
        var slots = [PropertyValue](repeating: .null, count: names.person.slots.count)
        slots[names.name] = .string(name)
        slots[names.age] = .integer(age)
        var request = SaveRequest(author: author)
        request.inserts = [.init(entity: names.person, rows: [(id, slots)])]
        return try save(request).renamed[id] ?? id
    }

    func delete(_ name: String, _ names: SmallModel) throws {
        let row = try #require(try row(name, names))
        var request = SaveRequest(author: "app")
        request.deletes = [.init(entity: names.person, rows: [(row.id, row.version)])]
        _ = try save(request)
    }

    func row(_ name: String, _ names: SmallModel) throws -> RowSnapshot? {
        try people(names).first { $0.slots[names.name] == .string(name) }
    }

    func setAge(_ age: Int64, of name: String, _ names: SmallModel) throws {
        let row = try #require(try row(name, names))
        var slots = row.slots
        slots[names.age] = .integer(age)
        var request = SaveRequest(author: "app")
        request.updates = [
            .init(entity: names.person, slots: [names.age], rows: [(row.id, row.version, slots)])
        ]
        _ = try save(request)
    }

    func people(_ names: SmallModel) throws -> [RowSnapshot] {
        try read { reader in
            let table = reader.schema.layout(of: names.person).table.name
            let ids = try reader.connection.rows("SELECT ab_pk FROM \(table) ORDER BY ab_pk")
                .compactMap { row -> LocalID? in
                    guard case .integer(let id)? = row.first else { return nil }
                    return id
                }
            var rows: [RowSnapshot] = []
            try reader.rows(of: names.person, ids: ids) { rows.append(RowSnapshot($0)) }
            return rows
        }
    }

    func names(_ names: SmallModel) throws -> [String] {
        try people(names).map { "\($0.slots[names.name])" }.sorted()
    }
}
