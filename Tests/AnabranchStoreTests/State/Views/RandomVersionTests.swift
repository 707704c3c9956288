import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of replicas of several versions of a model that share a zone and migrate one by one.
@Suite struct `Replicas of several versions` {
    @Test(arguments: TestLength.seeds(24))
    func `show the same as new stores of their versions`(seed: UInt64) throws {
        let world = try VersionWorld(seed: seed)
        for _ in 0..<40 { try world.step() }
        try world.settle()
    }

    @Test(arguments: TestLength.seeds(48))
    func `show the same as new stores if attributes are dropped and come back`(seed: UInt64) throws
    {
        let world = try VersionWorld(seed: seed, VersionWorld.dropping)
        for _ in 0..<40 { try world.step() }
        try world.settle()
    }

    @Test(arguments: TestLength.seeds(48))
    func `show the same as new stores if attributes become mandatory and optional`(
        seed: UInt64
    ) throws {
        let world = try VersionWorld(
            seed: seed, VersionWorld.demanding, defaults: VersionWorld.demanded)
        for _ in 0..<40 { try world.step() }
        try world.settle()
    }

    @Test(arguments: TestLength.seeds(24))
    func `show the same as new stores if attributes become wider and mandatory`(
        seed: UInt64
    ) throws {
        let world = try VersionWorld(
            seed: seed, VersionWorld.changing, defaults: VersionWorld.demandedWider)
        for _ in 0..<40 { try world.step() }
        try world.settle()
    }
}

/// Replicas that save at random with three versions of a model in which attributes change their
/// types and merge rules, or are dropped and added again, and that migrate in the middle.
private final class VersionWorld {
    /// The type and merge rule of an attribute in each version; `nil` in one without it.
    typealias Kinds = [(AttributeType, MergeRule)?]

    private let scenario: StoreScenario
    private var generator: SeededGenerator
    private var stores: [Store] = []
    private var versions: [Int] = []
    private let models: [ManagedObjectModel]
    private let attributes: [String: Kinds]
    /// The default of an attribute in each version in which it is mandatory; `nil` in the others.
    private let defaults: [String: [PropertyValue?]]
    private var newStoreCount = 0

    /// Attributes that change their types and merge rules.
    static let changing: [String: Kinds] = [
        "age": [(.integer16, .lastWriter), (.integer32, .lastWriter), (.decimal, .lastWriter)],
        "size": [(.float, .lastWriter), (.double, .lastWriter), (.string, .lastWriter)],
        "code": [(.integer16, .lastWriter), (.integer64, .lastWriter), (.string, .lastWriter)],
        "when": [(.date, .lastWriter), (.date, .lastWriter), (.string, .lastWriter)],
        "rank": [(.integer16, .lastWriter), (.integer16, .max), (.integer16, .firstWriter)],
        "score": [(.integer32, .max), (.integer64, .keepBoth), (.string, .lastWriter)],
        "note": [(.string, .keepBoth), (.string, .min), (.string, .keepBoth)],
    ]

    /// Attributes of which no version has all.
    static let dropping: [String: Kinds] = [
        "age": [(.integer16, .lastWriter), nil, nil],
        "code": Array(repeating: (.string, .lastWriter), count: 3),
        "extra": [nil, (.string, .lastWriter), (.string, .lastWriter)],
        "first": [(.string, .firstWriter), nil, nil],
        "late": [nil, nil, (.date, .lastWriter)],
        "least": [(.integer64, .min), nil, (.integer64, .min)],
        "note": Array(repeating: (.string, .keepBoth), count: 3),
        "rank": [(.integer16, .max), (.integer16, .max), nil],
        "size": [(.double, .lastWriter), (.double, .lastWriter), nil],
        "when": [(.date, .lastWriter), nil, (.date, .lastWriter)],
    ]

    /// Attributes that are mandatory in some versions.
    static let demanding: [String: Kinds] = [
        "age": Array(repeating: (.integer16, .lastWriter), count: 3),
        "code": Array(repeating: (.string, .lastWriter), count: 3),
        "first": Array(repeating: (.string, .firstWriter), count: 3),
        "late": [nil, (.date, .lastWriter), (.date, .lastWriter)],
        "least": Array(repeating: (.integer64, .min), count: 3),
        "note": Array(repeating: (.string, .keepBoth), count: 3),
        "rank": Array(repeating: (.integer16, .max), count: 3),
    ]

    /// The defaults of these attributes in the versions in which they are mandatory.
    static let demanded: [String: [PropertyValue?]] = [
        "age": [nil, .integer(7), nil],
        "first": [nil, "f", "f"],
        "late": [nil, .date(1e8 + 0.5), nil],
        "least": [nil, nil, .integer(9)],
        "note": [nil, "m", "n"],
        "rank": [nil, .integer(0), nil],
    ]

    /// Defaults of attributes that change their types and merge rules.
    static let demandedWider: [String: [PropertyValue?]] = [
        "age": [nil, .integer(7), .decimal(ExactDecimal(8))],
        "note": [nil, "m", "n"],
        "rank": [nil, nil, .integer(5)],
        "score": [nil, .integer(6), nil],
    ]

    init(
        seed: UInt64, _ attributes: [String: Kinds] = changing,
        defaults: [String: [PropertyValue?]] = [:]
    ) throws {
        self.attributes = attributes
        self.defaults = defaults
        generator = SeededGenerator(seed: seed)
        let isUnique = Bool.random(using: &generator)
        let isYielding = Bool.random(using: &generator)
        models = try (0..<3).map { version in
            try ManagedObjectModel {
                EntityDeclaration("Person", deletePolicy: isYielding ? .updateWins : .deleteWins) {
                    if isUnique { UniquenessConstraint("code") }
                    AttributeDeclaration("name", .string)
                    for (name, kinds) in attributes.sorted(by: { $0.key < $1.key }) {
                        if let kind = kinds[version] {
                            let value = defaults[name]?[version]
                            AttributeDeclaration(
                                name, kind.0, optional: value == nil, default: value,
                                mergeRule: kind.1)
                        }
                    }
                    RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                    RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                }
            }
        }
        scenario = try StoreScenario(model: models[0])
        for number in 0..<3 {
            versions.append(Int.random(in: 0...1, using: &generator))
            stores.append(try scenario.open("\(number)", model: models[versions[number]]))
        }
    }

    func step() throws {
        scenario.clock.milliseconds += Int64.random(in: 0...2, using: &generator)
        let number = Int.random(in: stores.indices, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<4: try save { try self.insert(into: self.stores[number]) }
        case 4..<12: try save { try self.update(in: self.stores[number]) }
        case 12: try save { try self.delete(from: self.stores[number]) }
        case 13 where isDropping:
            try migrate(number, to: Int.random(in: 0...2, using: &generator))
        case 13 where versions[number] < 2: try migrate(number, to: versions[number] + 1)
        case 14:
            scenario.clock.milliseconds += Self.skew
            try save { try self.update(in: self.stores[number]) }
            scenario.clock.milliseconds -= Self.skew
        case 15: try loadSnapshot(into: stores[number])
        default: try sync(stores[number])
        }
    }

    /// The milliseconds by which a clock is sometimes ahead, which the zone does not accept.
    private static let skew: Int64 = 3_600_000

    /// True if versions lack attributes of others, so that they may follow in any order.
    private var isDropping: Bool { attributes.values.contains { $0.contains { $0 == nil } } }

    /// Replaces the records of a store by the zone's, if the zone has more than the store.
    private func loadSnapshot(into store: Store) throws {
        let state = try store.syncState()
        let log = scenario.zone.log
        guard !state.hasPending, Int(state.cursor?.position ?? 0) < log.count else { return }
        let cursor = log.reduce(LogCursor(startOf: scenario.zone.epoch)) { $0.advanced(over: $1) }
        let reference = try scenario.zone.reference()
        try store.load(
            SnapshotChunk.chunks(of: reference, log: log, records: 5), at: cursor)
        #expect(try store.canonicalHash() == reference.canonicalHash)
    }

    private func sync(_ store: Store) throws {
        try pull(into: store)
        _ = try store.restamp(
            above: HybridTimestamp(wallMilliseconds: scenario.clock.milliseconds + Self.skew / 2),
            clockOffsetMilliseconds: 0)
        try scenario.zone.repair(store)
        try scenario.zone.push(from: store)
    }

    /// Ignores that a key is taken, and that a value can't win.
    private func save(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError
            where [.constraintConflict, .cannotWin].contains(error.code)
        {}
    }

    // MARK: - Saves

    private func value(_ type: AttributeType) -> PropertyValue {
        let number = Int64.random(in: 0...3, using: &generator)
        if number == 0 { return .null }
        return switch type {
        case .integer16: .integer([1, 2, Int64(Int16.min)][Int(number) - 1])
        case .integer32: .integer([1, 2, Int64(Int32.max)][Int(number) - 1])
        case .integer64: .integer([1, 2, .min][Int(number) - 1])
        case .decimal: .decimal(ExactDecimal(number))
        case .float: .double(Double(Float(number) / 10))
        case .double: .double(Double(number) / 10)
        case .date: .date(Double(number) * 1e8 + 0.5)
        default: .string("\(number)")
        }
    }

    private func values(of entity: EntityDescription) -> [String: PropertyValue] {
        var values: [String: PropertyValue] = [:]
        for attribute in entity.attributes { values[attribute.name] = value(attribute.type) }
        return values
    }

    private func rows(of store: Store) throws -> [RowSnapshot] {
        try store.read { reader in
            var ids: [LocalID] = []
            try reader.canonicalRecords { record in
                if let id = try store.localID(of: record.id) { ids.append(id) }
            }
            var found: [RowSnapshot] = []
            try reader.rows(of: store.model.entities[0], ids: ids.sorted()) {
                found.append(RowSnapshot($0))
            }
            return found
        }
    }

    private func insert(into store: Store) throws {
        var values = values(of: store.model.entities[0])
        if let boss = try rows(of: store).randomElement(using: &generator) {
            values["boss"] = .integer(boss.id)
        }
        try store.insert("Person", values)
    }

    private func update(in store: Store) throws {
        guard let row = try rows(of: store).randomElement(using: &generator) else { return }
        let count = Int.random(in: 1...3, using: &generator)
        let names = row.entity.attributes.map(\.name).shuffled(using: &generator).prefix(count)
        let values = values(of: row.entity).filter { names.contains($0.key) }
        _ = try store.update("Person", row.id, values)
        for (name, value) in values {
            let shown = try store.value(name, of: row.id)
            let attribute = row.entity.property(named: name)?.attribute
            let expected = value.isNull ? attribute.flatMap(defaultInPlaceOfNull) : value
            #expect(shown == expected ?? .null, "\(name) after a save of \(values)")
        }
    }

    /// The value that a mandatory attribute shows in place of null; a key shows none.
    private func defaultInPlaceOfNull(_ attribute: AttributeDescription) -> PropertyValue? {
        let isKey = attribute.entity.uniquenessConstraints.joined().contains(attribute)
        return attribute.isOptional || isKey ? nil : attribute.declaration.defaultValue
    }

    private func delete(from store: Store) throws {
        if let row = try rows(of: store).randomElement(using: &generator) {
            try store.delete(row.id)
        }
    }

    // MARK: - Checks

    /// Pulls, and checks that what shows another value has another version and is reported.
    private func pull(into store: Store) throws {
        let before = Dictionary(
            uniqueKeysWithValues: try rows(of: store).map { ($0.id, $0) })
        let changes = try scenario.zone.pull(into: store)
        var reported: [LocalID: SlotSet] = [:]
        for update in changes.entities.flatMap(\.updated) {
            for id in update.ids { reported[id] = update.slots }
        }
        for row in try rows(of: store) {
            guard let old = before[row.id] else { continue }
            // A reference to a record that was deleted reads nil without a write.
            for slot in row.entity.attributes.map(\.slot)
            where row.slots[slot] != old.slots[slot] {
                #expect(row.version != old.version)
                #expect(reported[row.id]?.contains(slot) == true, "\(row.entity.slots[slot].name)")
            }
        }
    }

    private func migrate(_ number: Int, to version: Int) throws {
        try sync(stores[number])
        let hash = try stores[number].canonicalHash()
        stores[number].close()
        let dropped = try droppedAttributes(number, after: version)
        versions[number] = version
        stores[number] = try scenario.open("\(number)", model: models[version])
        #expect(try stores[number].canonicalHash() == hash)
        // Rows are written if they show other defaults.
        if defaults.isEmpty { #expect(try droppedAttributes(number) == dropped) }
        try compareWithNewStore(stores[number])
    }

    /// The attributes that a file has only in columns of their own.
    private func droppedAttributes(_ number: Int) throws -> Set<String> {
        let file = "\(number)"
        guard
            try !scenario.sql(file, "SELECT 1 FROM sqlite_schema WHERE name = 'ab_dropped'").isEmpty
        else { return [] }
        return try names(file, "SELECT name FROM ab_dropped")
    }

    /// The attributes that a file has only in columns of their own after a migration: none if rows
    /// have to be written, because the file knows something that the version adds.
    private func droppedAttributes(_ number: Int, after version: Int) throws -> Set<String> {
        let kept = try droppedAttributes(number)
        guard isDropping else { return [] }
        let all = (models[versions[number]], models[version])
        let (former, present) = (
            Set(all.0.entities[0].attributes.map(\.name)),
            Set(all.1.entities[0].attributes.map(\.name))
        )
        let waiting = try names("\(number)", "SELECT DISTINCT name FROM ab_deferred_cell")
        guard present.subtracting(former).isDisjoint(with: kept.union(waiting)) else { return [] }
        return kept.union(former.subtracting(present))
    }

    private func names(_ file: String, _ sql: String) throws -> Set<String> {
        var names: Set<String> = []
        for row in try scenario.sql(file, sql) {
            if case .text(let name)? = row.first { names.insert(name) }
        }
        return names
    }

    private func compareWithNewStore(_ store: Store) throws {
        newStoreCount += 1
        try scenario.compareWithNewStore(store, number: newStoreCount)
    }

    func settle() throws {
        for _ in 0..<2 {
            for store in stores { try sync(store) }
        }
        let reference = try scenario.zone.reference()
        for (number, store) in stores.enumerated() {
            #expect(try store.canonicalHash() == reference.canonicalHash)
            #expect(try store.check().isValid)
            try compareWithNewStore(store)
            try scenario.repairAll(store, reference)
            let losses = try store.conflicts().filter { $0.kind == .concurrentWrite }.map {
                "\($0.record) \($0.property) \($0.lost.stamp)"
            }
            #expect(Set(losses).count == losses.count)
            try compare(store, of: versions[number], with: reference)
            while versions[number] < 2 { try migrate(number, to: versions[number] + 1) }
        }
        try scenario.compareWithSnapshot(reference, stores[0])
    }

    /// Checks that each attribute shows the latest of the values that the versions have left of it:
    /// those up to the store's, and others with the same type.
    private func compare(
        _ store: Store, of version: Int, with reference: ReferenceMerge
    ) throws {
        guard store.model.entities[0].uniquenessConstraints.isEmpty else { return }
        for row in try rows(of: store) {
            let id = try #require(try store.recordID(of: row.id))
            let record = try #require(reference.records[id])
            for attribute in row.entity.attributes {
                let known = Set(
                    models.enumerated().compactMap { number, model in
                        let other = model.entities[0].property(named: attribute.name)?.attribute
                        let isShown = number <= version || other?.type == attribute.type
                        return isShown ? other?.wireProperty : nil
                    })
                let writes = record.cells.filter { known.contains($0.key) }
                let latest = writes.flatMap { property, values in
                    values.map { (property.type, $0.key, $0.value) }
                }.max { $0.1 < $1.1 }
                // A float that a double shows has the digits of the double.
                var expected =
                    latest.map {
                        Self.text($0.2, of: attribute.type == .double ? .double : $0.0)
                    } ?? "null"
                if expected == "null", let value = defaultInPlaceOfNull(attribute) {
                    expected = Self.text(value, of: attribute.type.wireType)
                }
                let shown = Self.text(row.slots[attribute.slot], of: attribute.type.wireType)
                #expect(shown == expected, "\(attribute)")
            }
        }
    }

    /// The printed forms of the dates that ``value(_:)`` makes.
    private static let dates = [
        "2004-03-03T09:46:40.5Z", "2007-05-04T19:33:20.5Z", "2010-07-05T05:20:00.5Z",
    ]

    private static func text(_ value: PropertyValue, of type: WireType) -> String {
        switch value {
        case .string(let text): text
        case .date(let seconds): dates[Int(seconds / 1e8) - 1]
        case .integer(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .double(let number): type == .float ? "\(Float(number))" : "\(number)"
        default: "null"
        }
    }
}
