import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of migrations that drop attributes without writing rows.
@Suite struct `A migration that drops attributes` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario(model: try Self.model()) }

    private static func model(
        _ deletePolicy: DeletePolicy = .deleteWins
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person", deletePolicy: deletePolicy) {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("flag", .boolean)
                AttributeDeclaration("small", .integer16)
                AttributeDeclaration("age", .integer64, default: 18)
                AttributeDeclaration("ratio", .double)
                AttributeDeclaration("born", .date)
                AttributeDeclaration("amount", .decimal)
                AttributeDeclaration("motto", .string)
                AttributeDeclaration("home", .uri)
                AttributeDeclaration("photo", .binary)
                AttributeDeclaration("key", .uuid)
                AttributeDeclaration("best", .integer32, mergeRule: .max)
                AttributeDeclaration("first", .string, mergeRule: .firstWriter)
                IndexDeclaration(
                    "byMotto",
                    elements: [IndexDeclaration.Element("motto"), IndexDeclaration.Element("age")])
            }
            EntityDeclaration("Worker", parent: "Person", deletePolicy: deletePolicy) {
                AttributeDeclaration("salary", .integer64)
            }
        }
    }

    /// The model without all attributes but the name.
    private func smallModel() throws -> ManagedObjectModel { try model(without: nil) }

    /// The model without some attributes.
    private func model(without names: [String]?) throws -> ManagedObjectModel {
        try scenario.changedModel { declaration in
            for place in declaration.entities.indices {
                declaration.entities[place].indexes = []
                declaration.entities[place].attributes.removeAll {
                    names?.contains($0.name) ?? ($0.name != "name")
                }
            }
        }
    }

    /// The attributes that a file has in columns which its model does not know.
    private func dropped(_ name: String) throws -> [SQLiteValue] {
        guard
            try !scenario.sql(name, "SELECT 1 FROM sqlite_schema WHERE name = 'ab_dropped'").isEmpty
        else { return [] }
        return try scenario.sql(name, "SELECT name FROM ab_dropped ORDER BY name").map { $0[0] }
    }

    /// Closes a store, and opens its file with another version.
    private func migrate(
        _ store: Store, _ name: String, to model: ManagedObjectModel
    ) throws -> Store {
        let hash = try store.canonicalHash()
        store.close()
        let migrated = try scenario.open(name, model: model)
        #expect(try migrated.canonicalHash() == hash)
        return migrated
    }

    private static let values: [String: PropertyValue] = [
        "name": .string("Anna"), "flag": .bool(false), "small": .integer(-7), "age": .integer(30),
        "ratio": .double(-0.0), "born": .date(.nan), "amount": .decimal(ExactDecimal("1.50")!),
        "motto": .string(""), "home": .uri("http://a.example"), "photo": .data(Data([0, 255])),
        "key": .uuid(UUID()), "best": .integer(5), "first": .string("1"),
    ]

    // MARK: - The file

    @Test func `writes no row, and shows all values when the attributes come back`() throws {
        let first = try scenario.open("a")
        let anna = try first.insert("Person", Self.values)
        try first.insert("Worker", ["name": .string("Bob"), "salary": .integer(9)])
        try first.set("motto", .string("-"), of: anna)
        let (shown, hash) = (try ShownState(first), try first.canonicalHash())
        let rows = "SELECT ab_pk, ab_version, ab_writes, name FROM Person"
        let before = try scenario.sql("a", rows)
        let second = try migrate(first, "a", to: try smallModel())
        #expect(try scenario.sql("a", rows) == before)
        #expect(try dropped("a").count == 13)
        #expect(try scenario.sql("a", "SELECT 1 FROM ab_deferred_cell").isEmpty)
        #expect(
            try scenario.sql("a", "SELECT 1 FROM sqlite_schema WHERE name LIKE '%byMotto'").isEmpty)
        #expect(try second.check().isValid)
        let cara = try second.insert("Worker", ["name": .string("Cara")])
        try second.set("name", .string("Anne"), of: anna)
        try scenario.zone.sync(second)
        let new = try scenario.open("new", model: second.model)
        try scenario.zone.pull(into: new)
        #expect(try ShownState(new) == ShownState(second))
        #expect(try new.canonicalHash() == second.canonicalHash())
        #expect(try second.check().isValid)
        try second.set("name", .string("Anna"), of: anna)
        try second.delete(cara)
        let third = try migrate(second, "a", to: scenario.model)
        #expect(try dropped("a").isEmpty)
        #expect(try ShownState(third) == shown)
        #expect(try third.canonicalHash() != hash)
        #expect(try third.check().isValid)
    }

    @Test func `leaves unwritten what a default shows, and what another entity declares`() throws {
        let first = try scenario.open("a", model: try model(without: ["age"]))
        let anna = try first.insert("Person", ["name": .string("Anna")])
        let second = try migrate(first, "a", to: scenario.model)
        #expect(try second.value("age", of: anna) == .integer(18))
        let third = try migrate(second, "a", to: try model(without: ["age"]))
        #expect(try dropped("a") == [.text("age")])
        try scenario.zone.sync(third)
        let new = try scenario.open("new", model: third.model)
        try scenario.zone.pull(into: new)
        #expect(try new.canonicalHash() == third.canonicalHash())
    }

    @Test func `is read by a store that was opened for reading`() throws {
        let first = try scenario.open("a")
        try first.insert("Person", Self.values)
        let second = try migrate(first, "a", to: try smallModel())
        let hash = try second.canonicalHash()
        second.close()
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try scenario.open("a", model: try smallModel(), options: options)
        #expect(try reading.canonicalHash() == hash)
        #expect(try reading.allIDs("Person").count == 1)
    }

    @Test func `leaves its columns in later ones, until rows have to be written`() throws {
        let first = try scenario.open("a")
        let anna = try first.insert("Person", Self.values)
        let second = try migrate(first, "a", to: try model(without: ["motto"]))
        let third = try migrate(second, "a", to: try model(without: ["motto", "age"]))
        #expect(try dropped("a") == [.text("age"), .text("motto")])
        var next = try model(without: ["motto", "age"]).declaration
        next.entities[0].attributes.append(AttributeDeclaration("extra", .string))
        let fourth = try migrate(third, "a", to: try ManagedObjectModel(next))
        try fourth.set("extra", .string("new"), of: anna)
        #expect(try fourth.value("extra", of: anna) == .string("new"))
        #expect(try dropped("a").count == 2)
        let small = try #require(next.entities[0].attributes.firstIndex { $0.name == "small" })
        next.entities[0].attributes[small].type = .integer32
        let fifth = try migrate(fourth, "a", to: try ManagedObjectModel(next))
        #expect(try dropped("a").isEmpty)
        #expect(try fifth.value("small", of: anna) == .integer(-7))
        let last = try migrate(fifth, "a", to: try model(without: ["small"]))
        for name in ["motto", "age"] {
            #expect(try last.value(name, of: anna) == Self.values[name])
        }
        #expect(try last.check().isValid)
    }

    typealias Change = @Sendable (inout ModelDeclaration) -> Void

    private static func attribute(
        _ name: String, _ change: @escaping @Sendable (inout AttributeDeclaration) -> Void
    ) -> Change {
        { declaration in
            for place in declaration.entities[0].attributes.indices
            where declaration.entities[0].attributes[place].name == name {
                change(&declaration.entities[0].attributes[place])
            }
        }
    }

    private static let exceptions: [(name: String, former: Change)] = [
        (
            "a counter",
            attribute("small") {
                $0.type = .integer64
                $0.mergeRule = .counter
            }
        ),
        ("siblings", attribute("small") { $0.mergeRule = .keepBoth }),
        ("a group", { $0.entities[0].attributeGroups = [AttributeGroup("g", "small", "flag")] }),
        (
            "a unique key",
            { $0.entities[0].uniquenessConstraints = [UniquenessConstraint("small")] }
        ),
        (
            "the time of the last save",
            {
                $0.entities[1].attributes.append(
                    AttributeDeclaration("saved", .date, derivation: "now()"))
            }
        ),
        (
            "unsynced records",
            {
                $0.configurations = [
                    ModelConfiguration("Local", "Person", "Worker", isSynced: false)
                ]
            }
        ),
    ]

    @Test(arguments: `A migration that drops attributes`.exceptions.map(\.name))
    func `writes the rows where a column alone does not have the values`(kind: String) throws {
        let change = try #require(Self.exceptions.first { $0.name == kind }).former
        let former = try scenario.changedModel(change)
        let first = try scenario.open("a", model: former)
        let anna = try first.insert(
            "Person", ["name": .string("Anna"), "small": .integer(1), "motto": .string("-")])
        var declaration = former.declaration
        declaration.entities[0].attributes.removeAll { $0.name == "small" }
        declaration.entities[0].uniquenessConstraints = []
        if kind == "a group" {
            declaration.entities[0].attributeGroups = []
            declaration.entities[0].attributes.removeAll { $0.name == "flag" }
        }
        let second = try migrate(first, "a", to: try ManagedObjectModel(declaration))
        #expect(second.model.entity(named: "Person")?.slotIndex(named: "small") == nil)
        #expect(try dropped("a").isEmpty)
        #expect(try second.value("motto", of: anna) == .string("-"))
        #expect(try second.check().isValid)
    }

    // MARK: - Older replicas

    private enum Way: CaseIterable { case page, bundle, snapshot }

    /// Brings the saves of an old store to a new one, and checks both against the zone.
    private func send(_ old: Store, to new: Store, by way: Way) throws {
        switch way {
        case .page:
            try scenario.zone.sync(old)
            try scenario.zone.sync(new)
        case .bundle: try old.send(to: new, in: scenario)
        case .snapshot:
            try scenario.zone.sync(old)
            try new.load(
                SnapshotChunk.chunks(
                    of: scenario.zone.reference(), log: scenario.zone.log, records: 2),
                at: #require(try old.syncState().cursor))
        }
        #expect(try new.canonicalHash() == old.canonicalHash())
        #expect(try new.check().isValid)
    }

    @Test(arguments: Way.allCases)
    private func `keeps what older replicas write afterwards, by whatever way it comes`(way: Way)
        throws
    {
        let old = try scenario.open("old")
        let first = try scenario.open("new")
        let anna = try old.insert("Person", Self.values)
        let bob = try old.insert("Person", Self.values)
        let cara = try old.insert("Worker", ["salary": .integer(1)])
        try scenario.zone.sync(old)
        try scenario.zone.sync(first)
        var new = try migrate(first, "new", to: try smallModel())
        #expect(try dropped("new").count == 13)
        scenario.clock.milliseconds += 10
        try old.set("motto", .string("later"), of: anna)
        try old.set("age", .null, of: anna)
        try old.insert("Worker", ["salary": .integer(7), "motto": .string("new")])
        _ = try old.update("Worker", cara, ["salary": .integer(2), "name": .string("Cara")])
        try old.delete(bob)
        try send(old, to: new, by: way)
        scenario.clock.milliseconds += 10
        try old.set("motto", .string("last"), of: anna)
        try send(old, to: new, by: way)
        let there = try new.id(of: anna, on: old)
        #expect(try new.value("name", of: there) == .string("Anna"))
        new = try migrate(new, "new", to: scenario.model)
        #expect(try new.value("motto", of: there) == .string("last"))
        #expect(try new.value("age", of: there) == .null)
        #expect(try ShownState(new) == ShownState(old))
    }

    @Test func `records the same conflicts as a pass over the rows`() throws {
        let stores = try ["a", "c", "b"].map { try scenario.open($0) }
        let anna = try stores[0].insert("Person", Self.values)
        let bob = try stores[0].insert("Person", Self.values)
        for store in stores { try scenario.zone.sync(store) }
        let (cAnna, cBob) = (
            try stores[1].id(of: anna, on: stores[0]), try stores[1].id(of: bob, on: stores[0])
        )
        let altered = try migrate(stores[2], "b", to: try smallModel())
        let passed = try scenario.open("new", model: altered.model)
        try scenario.zone.pull(into: passed)
        #expect(try !dropped("b").isEmpty && dropped("new").isEmpty)
        try stores[0].set("motto", .string("A"), of: anna)
        try stores[0].set("motto", .string("B"), of: bob)
        scenario.clock.milliseconds += 10
        try stores[1].set("motto", .string("C"), of: cAnna)
        try stores[1].delete(cBob)
        for store in stores[...1] { try scenario.zone.sync(store) }
        for store in [altered, passed] { try scenario.zone.pull(into: store) }
        func losses(_ store: Store) throws -> [String] {
            try store.conflicts().map { "\($0.kind) \($0.record) \($0.property) \($0.lost)" }
                .sorted()
        }
        let unseen = try altered.conflicts().filter { $0.kind != .deletedWithRecord }
        #expect(unseen.count == 2)
        #expect(try losses(altered) == losses(passed))
        #expect(try altered.canonicalHash() == passed.canonicalHash())
    }

    @Test func `keeps values of records that are deleted and revived, or repaired`() throws {
        let model = try Self.model(.updateWins)
        let next = try scenario.changedModel { declaration in
            declaration.entities = model.declaration.entities
            declaration.entities[0].indexes = []
            declaration.entities[0].attributes.removeAll { $0.name != "name" && $0.name != "born" }
        }
        let old = try scenario.open("old", model: model)
        let first = try scenario.open("new", model: model)
        let anna = try old.insert("Person", Self.values)
        let bob = try old.insert("Person", Self.values)
        try scenario.zone.sync(old)
        try scenario.zone.sync(first)
        let new = try migrate(first, "new", to: next)
        #expect(try dropped("new").count == 11)
        let (newAnna, newBob) = (try new.id(of: anna, on: old), try new.id(of: bob, on: old))
        try new.delete(newAnna)
        try new.delete(newBob)
        scenario.clock.milliseconds += 10
        try old.set("motto", .string("later"), of: anna)
        for store in [old, new, old] { try scenario.zone.sync(store) }
        #expect(try new.row("Person", newAnna) != nil && new.row("Person", newBob) == nil)
        #expect(try new.canonicalHash() == old.canonicalHash())
        let reference = try scenario.zone.reference()
        let place = CausalContext.Prefix(
            epoch: scenario.zone.epoch, position: UInt64(scenario.zone.log.count))
        _ = try new.repair(reference.records.keys.map { reference.image(of: $0) }, at: place)
        #expect(try new.canonicalHash() == reference.canonicalHash)
        try old.set("age", .integer(31), of: anna)
        for store in [old, new] { try scenario.zone.sync(store) }
        #expect(try new.check().isValid)
        let last = try migrate(new, "new", to: model)
        #expect(try ShownState(last) == ShownState(old))
        #expect(try last.value("age", of: newAnna) == .integer(31))
    }

    /// A record of the later version, which the file had before it was migrated, is replaced by the
    /// zone's image, or inserted once more from the log.
    @Test(arguments: [true, false])
    func `leaves unwritten what no save has written, if a record is repaired`(
        fromLog: Bool
    ) throws {
        let other = try scenario.open("other", model: try smallModel())
        try other.insert("Person", ["name": .string("Anna")])
        let first = try scenario.open("a")
        for store in [other, first] { try scenario.zone.sync(store) }
        let second = try migrate(first, "a", to: other.model)
        #expect(try dropped("a").count == 13)
        let reference = try scenario.zone.reference()
        let images = reference.records.keys.map {
            fromLog ? RecordImage(id: $0) : reference.image(of: $0)
        }
        let end = UInt64(scenario.zone.log.count)
        _ = try second.repair(
            images,
            at: CausalContext.Prefix(epoch: scenario.zone.epoch, position: fromLog ? 0 : end))
        #expect(try second.canonicalHash() == reference.canonicalHash)
        #expect(try ShownState(second) == ShownState(other))
    }

    /// Two copies of a file save at random, one of them with the later version.
    @Test(arguments: TestLength.seeds(16))
    func `keeps values of records that a fork renames`(seed: UInt64) throws {
        let twins = try ForkScenario()
        let scenario = twins.scenario
        let next = try scenario.changedModel {
            $0.entities[0].attributes.removeAll { $0.name == "age" }
        }
        var generator = SeededGenerator(seed: seed)
        let a = try twins.open("a")
        for number in 1...4 { try a.insertPerson("P\(number)", age: Int64(number)) }
        if generator.oneIn(2) { try twins.sync(a) }
        var b = try twins.twin(of: "a", as: "b")
        var edits = RandomEdits(seed: seed)
        for number in 1...6 {
            scenario.clock.milliseconds += Int64.random(in: 0...5, using: &generator)
            try edits.edit(a)
            try edits.edit(b)
            let people = try b.identifiers("Person")
            if let id = people.randomElement(using: &generator) {
                try b.set("age", .integer(Int64(number)), of: id)
            }
        }
        b.close()
        b = try twins.open("b", model: next)
        #expect(try scenario.sql("b", "SELECT name FROM ab_dropped") == [[.text("age")]])
        for _ in 1...4 {
            scenario.clock.milliseconds += Int64.random(in: 0...5, using: &generator)
            try edits.edit(a)
            if let id = try b.identifiers("Person").randomElement(using: &generator) {
                try b.set("name", .string("B"), of: id)
            }
        }
        if generator.oneIn(2) { try twins.sync(b) }
        #expect(Set(try twins.converge([a, b])).count == 1)
        b.close()
        b = try twins.open("b")
        #expect(try ShownState(a) == ShownState(b))
        #expect(try b.canonicalHash() == a.canonicalHash())
    }
}
