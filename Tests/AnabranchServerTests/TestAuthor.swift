import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import TestSupport

@testable import AnabranchServer

/// A replica that creates change sets as a store does: numbered, chained and stamped.
struct TestAuthor {
    let replica: ReplicaID
    private(set) var sequence: UInt64 = 0
    private(set) var origin = Digest.zero
    private(set) var clock = HybridClock()
    private var nextNumber: UInt64 = 1
    var context = CausalContext.empty
    var wallMilliseconds: Int64 = 1_700_000_000_000

    init(_ number: UInt64) { replica = ReplicaID(high: number, low: 0xA0A0) }

    mutating func newRecord() -> RecordID {
        defer { nextNumber += 1 }
        return RecordID(replica: replica, number: nextNumber)
    }

    mutating func save(_ blocks: [ChangeBlock]) -> ChangeSet {
        save(payload: ChangePayload(blocks: blocks).encoded(author: replica))
    }

    mutating func save(payload: [UInt8], as kind: LogEntryKind = .save) -> ChangeSet {
        sequence += 1
        let changeSet = ChangeSet(
            saving: payload, as: kind, dot: Dot(replica: replica, sequence: sequence),
            timestamp: clock.tick(wallMilliseconds: wallMilliseconds) ?? .zero, author: "test",
            previousOrigin: origin, context: context)
        origin = changeSet.origin
        return changeSet
    }

    /// Returns a save that inserts one person with a name.
    mutating func insertPerson(_ name: String = "Ada") -> (ChangeSet, RecordID) {
        let record = newRecord()
        return (save([.person(record, name: name)]), record)
    }

    mutating func observe(_ changeSet: ChangeSet) { clock.observe(changeSet.timestamp) }
}

extension ChangeBlock {
    static let name = WireProperty(name: "name", type: .string)
    static let age = WireProperty(name: "age", type: .integer64)
    static let boss = WireProperty(name: "boss", type: .reference)
    static let friends = WireProperty(name: "friends", type: .links, rule: .set)

    static func person(_ record: RecordID, name: String) -> ChangeBlock {
        .insert(
            RowBlock(
                entity: "Person", records: [record], properties: [Self.name, Self.age],
                columns: [[.string(name)], [.integer(36)]]))
    }

    static func rename(_ record: RecordID, to name: String) -> ChangeBlock {
        .update(
            RowBlock(
                entity: "Person", records: [record], properties: [Self.name],
                columns: [[.string(name)]]))
    }

    static func delete(_ record: RecordID, entity: WireName = "Person") -> ChangeBlock {
        .delete(RecordBlock(entity: entity, records: [record]))
    }

    static func befriend(_ left: RecordID, _ right: RecordID) -> ChangeBlock {
        .link(
            LinkBlock(
                entity: "Person", property: Self.friends,
                links: [.init(left: left, right: right)]))
    }

    static func unfriend(_ left: RecordID, _ right: RecordID, seen: [Stamp]) -> ChangeBlock {
        .unlink(
            LinkBlock(
                entity: "Person", property: Self.friends,
                links: [.init(left: left, right: right, observedTags: seen)]))
    }
}

/// The service of a zone, with the calls that tests need.
final class TestZone {
    let place: any StoragePlace
    private(set) var storage: any ZoneStorage
    private(set) var service: ZoneService
    let clock: @Sendable () -> Int64
    let limits: ZoneLimits
    let validation: PushValidation?
    let hook: ValidationHook?
    let record: @Sendable (PushRecord) -> Void

    init(
        _ kind: StorageKind, greatestOrdinal: Int64? = nil, limits: ZoneLimits = ZoneLimits(),
        validation: PushValidation? = nil,
        hook: ValidationHook? = nil, record: @escaping @Sendable (PushRecord) -> Void = { _ in },
        clock: @escaping @Sendable () -> Int64 = { 1_700_000_000_000 }
    ) throws {
        place = try kind.makePlace()
        self.clock = clock
        self.limits = limits
        self.validation = validation
        self.hook = hook
        self.record = record
        storage = try place.open(greatestOrdinal: greatestOrdinal)
        service = ZoneService(
            name: try ZoneName("test"), storage: storage, limits: limits,
            validation: validation, hook: hook, record: record, wallMilliseconds: clock)
    }

    func reopen(copied: Bool = false) throws {
        service.close()
        if copied { try place.replaceByCopy() }
        storage = try place.open()
        service = ZoneService(
            name: try ZoneName("test"), storage: storage, limits: limits,
            validation: validation, hook: hook, record: record, wallMilliseconds: clock)
    }

    func setFaults(_ faults: TransactionFaults?) { place.setFaults(faults, of: storage) }

    func push(_ changeSets: ChangeSet...) throws -> PushAnswer { try push(changeSets) }

    func push(_ changeSets: [ChangeSet]) throws -> PushAnswer {
        try service.push(
            PushRequest(
                epoch: try service.head().epoch, changeSets: changeSets.map { $0.encoded() }))
    }

    func pullAll(after cursor: LogCursor? = nil, byteLimit: UInt64 = 1 << 20) throws
        -> (sets: [ChangeSet], cursor: LogCursor)
    {
        var sets: [ChangeSet] = []
        var cursor = cursor
        while true {
            let page = try service.pull(PullRequest(cursor: cursor, byteLimit: byteLimit))
            sets += try page.changeSets.map { try ChangeSet(decoding: $0) }
            cursor = page.cursor
            if page.cursor.position >= page.headPosition { return (sets, page.cursor) }
        }
    }

    func records() throws -> [CanonicalRecord] {
        try storage.read { reader in
            var records: [CanonicalRecord] = []
            try reader.forEachRecord { records.append($0) }
            return records
        }
    }
}

extension ZoneReading {
    /// Calls `body` with every record of the merged state, including dead ones, sorted by identity.
    func forEachRecord(_ body: (CanonicalRecord) throws -> Void) throws {
        try forEachRecord(in: .all, reserving: { _, _ in }) { _, record in
            try body(record())
            return true
        }
    }
}
