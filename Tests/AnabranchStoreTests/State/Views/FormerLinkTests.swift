import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of a to-one that becomes to-many in a later version of the model.
@Suite struct `A to-one that became to-many` {
    let scenario: StoreScenario
    let old: Store
    let new: Store
    /// Three people, of whom the first had the second as boss: their IDs in the two stores.
    let onOld: [LocalID]
    let onNew: [LocalID]

    init() throws {
        scenario = try StoreScenario(model: try Self.model(isToMany: false))
        let old = try scenario.open("old")
        let people = try (0..<3).map { try old.insertPerson("P\($0)") }
        try old.set("boss", .integer(people[1]), of: people[0])
        try scenario.zone.sync(old)
        let new = try scenario.open("new", model: try Self.model(isToMany: true))
        try scenario.zone.pull(into: new)
        (self.old, self.new, onOld) = (old, new, people)
        onNew = try people.map { try new.id(of: $0, on: old) }
        scenario.clock.milliseconds += 1000
    }

    static func model(
        isToMany: Bool, isOrdered: Bool = false, isUnique: Bool = false,
        deletePolicy: DeletePolicy = .deleteWins
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person", deletePolicy: deletePolicy) {
                if isUnique { UniquenessConstraint("name") }
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                if isToMany {
                    RelationshipDeclaration(
                        "bosses", toMany: "Person", ordered: isOrdered, inverse: "reports",
                        renamingIdentifier: "boss")
                } else {
                    RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                }
                RelationshipDeclaration(
                    "reports", toMany: "Person", inverse: isToMany ? "bosses" : "boss")
            }
        }
    }

    private func bosses(_ number: Int, _ store: Store? = nil) throws -> [LocalID] {
        try (store ?? new).related(onNew[number], "bosses")
    }

    private func exchange() throws {
        for store in [old, new, old, new] { try scenario.zone.sync(store) }
        let reference = try scenario.zone.reference().canonicalHash
        #expect(try old.canonicalHash() == reference && new.canonicalHash() == reference)
        for store in [old, new] { #expect(try store.check().isValid) }
    }

    @Test func `is inferred in the words of the change`() throws {
        let changes = try InferredMigration(from: old.model, to: new.model).changes
        #expect(
            changes.map(\.description) == [
                "Person.boss renamed to bosses", "Person.bosses made to-many",
            ])
    }

    @Test func `shows the reference after a migration, which writes nothing to the log`() throws {
        let hash = try old.canonicalHash()
        old.close()
        let store = try scenario.open("old", model: new.model)
        #expect(try store.related(onOld[0], "bosses") == [onOld[1]])
        #expect(try store.related(onOld[1], "reports") == [onOld[0]])
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        #expect(try store.pending(byteLimit: .max).isEmpty)
        #expect(try ShownState(store) == ShownState(new))
    }

    @Test func `shows references and links of both versions together`() throws {
        try new.link(onNew[0], "bosses", onNew[2])
        #expect(try bosses(0) == [onNew[1], onNew[2]].sorted())
        try exchange()
        #expect(try old.value("boss", of: onOld[0]) == .integer(onOld[1]))
        try old.set("boss", .null, of: onOld[0])
        try exchange()
        #expect(try bosses(0) == [onNew[2]])
        #expect(try new.related(onNew[1], "reports").isEmpty)
    }

    @Test func `removes the reference with the link, also in the older version`() throws {
        try new.link(onNew[0], "bosses", onNew[1], isAdded: false)
        #expect(try bosses(0).isEmpty && new.check().isValid)
        try exchange()
        #expect(try old.value("boss", of: onOld[0]) == .null)
        let other = try scenario.open("other", model: new.model)
        try scenario.zone.pull(into: other)
        #expect(try ShownState(other) == ShownState(new))
    }

    @Test func `reports both ends of a link that another version changes`() throws {
        try old.set("boss", .integer(onOld[2]), of: onOld[0])
        try scenario.zone.push(from: old)
        let changes = try scenario.zone.pull(into: new)
        let reported = Set(changes.entities.flatMap(\.updated).flatMap(\.ids))
        #expect(reported == Set(onNew))
        #expect(try bosses(0) == [onNew[2]])
    }

    @Test func `forgets a reference to what is deleted, and shows it again when it is revived`()
        throws
    {
        let model = try Self.model(isToMany: true, deletePolicy: .updateWins)
        let first = try scenario.open("first", model: model)
        let second = try scenario.open("second", model: model)
        for store in [first, second] { try scenario.zone.pull(into: store) }
        let boss = try first.id(of: onOld[1], on: old)
        let person = try first.id(of: onOld[0], on: old)
        try first.delete(boss)
        #expect(try first.related(person, "bosses").isEmpty)
        scenario.clock.milliseconds += 1000
        try second.set("age", .integer(5), of: second.id(of: onOld[1], on: old))
        for store in [first, second, first] { try scenario.zone.sync(store) }
        #expect(try first.related(person, "bosses") == [boss])
        #expect(try ShownState(first) == ShownState(second))
    }

    @Test func `gives a member of a list a position when it is moved`() throws {
        let model = try Self.model(isToMany: true, isOrdered: true)
        old.close()
        let store = try scenario.open("old", model: model)
        try store.link(onOld[0], "bosses", onOld[2])
        #expect(try store.ordered(onOld[0], "bosses") == [onOld[1], onOld[2]])
        try store.place([onOld[2], onOld[1]], moving: [onOld[1]], in: onOld[0], "bosses")
        #expect(try store.ordered(onOld[0], "bosses") == [onOld[2], onOld[1]])
        try store.link(onOld[0], "bosses", onOld[1], isAdded: false)
        #expect(try store.ordered(onOld[0], "bosses") == [onOld[2]] && store.check().isValid)
    }

    @Test func `shows what was dropped in between and comes back as to-many`() throws {
        old.close()
        let without = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
            }
        }
        try scenario.open("old", model: without).close()
        let store = try scenario.open("old", model: new.model)
        #expect(try ShownState(store) == ShownState(new))
    }

    // MARK: - The column of the to-one

    /// The names of the properties that the old store's file has in dropped columns.
    private func dropped() throws -> [SQLiteValue] {
        guard
            try !scenario.sql("old", "SELECT 1 FROM sqlite_schema WHERE name = 'ab_dropped'")
                .isEmpty
        else { return [] }
        return try scenario.sql("old", "SELECT name FROM ab_dropped").map { $0[0] }
    }

    /// Closes the old store, and opens its file with the new version.
    private func migrated() throws -> Store {
        let hash = try old.canonicalHash()
        old.close()
        let store = try scenario.open("old", model: new.model)
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        return store
    }

    @Test func `keeps the references in the rows, and writes none of them`() throws {
        let rows = "SELECT ab_pk, ab_version, ab_writes, name FROM Person"
        let before = try scenario.sql("old", rows)
        let store = try migrated()
        #expect(try scenario.sql("old", rows) == before)
        #expect(try dropped() == [.text("boss")])
        #expect(try scenario.sql("old", "SELECT 1 FROM ab_deferred_cell").isEmpty)
        #expect(try ShownState(store) == ShownState(new))
        let written = try store.insertPerson("P3")
        try store.link(written, "bosses", onOld[1])
        try store.delete(onOld[0])
        #expect(try store.related(onOld[1], "reports") == [written])
        #expect(try scenario.sql("old", "SELECT 1 FROM ab_former_link").isEmpty)
        try scenario.zone.sync(store)
        try scenario.zone.pull(into: new)
        #expect(try store.canonicalHash() == new.canonicalHash() && store.check().isValid)
        #expect(try ShownState(store) == ShownState(new))
    }

    @Test func `writes a removed reference beside the column, and merges later ones there`() throws
    {
        let third = try scenario.open("third", model: scenario.model)
        try scenario.zone.pull(into: third)
        let store = try migrated()
        try store.link(onOld[0], "bosses", onOld[1], isAdded: false)
        #expect(try store.related(onOld[0], "bosses").isEmpty && store.check().isValid)
        try scenario.zone.sync(store)
        try scenario.zone.sync(third)
        let person = try third.id(of: onOld[0], on: old)
        #expect(try third.value("boss", of: person) == .null)
        scenario.clock.milliseconds += 1000
        try third.set("boss", .integer(third.id(of: onOld[2], on: old)), of: person)
        for store in [third, store] { try scenario.zone.sync(store) }
        #expect(try store.related(onOld[0], "bosses") == [onOld[2]])
        try scenario.zone.pull(into: new)
        #expect(try ShownState(store) == ShownState(new) && dropped() == [.text("boss")])
        #expect(try store.canonicalHash() == third.canonicalHash())
    }

    @Test func `keeps the column in a later version, and gives it back to a new relationship`()
        throws
    {
        func model(_ change: (inout EntityDeclaration) -> Void) throws -> ManagedObjectModel {
            var declaration = new.model.declaration
            change(&declaration.entities[0])
            return try ManagedObjectModel(declaration)
        }
        try migrated().close()
        let extended = try model { $0.attributes.append(AttributeDeclaration("extra", .string)) }
        let next = try scenario.open("old", model: extended)
        #expect(try next.related(onOld[0], "bosses") == [onOld[1]])
        #expect(try dropped() == [.text("boss")])
        next.close()
        let without = try model { $0.relationships = [] }
        let small = try scenario.open("old", model: without)
        #expect(try small.check().isValid)
        small.close()
        let last = try scenario.open("old", model: new.model)
        #expect(try ShownState(last) == ShownState(new) && last.check().isValid)
    }

    @Test func `writes the rows if a reference is hidden`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                RelationshipDeclaration("boss", to: "Person", acyclic: true, inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
        }
        let cycles = try StoreScenario(model: model)
        let (a, b) = (try cycles.open("a"), try cycles.open("b"))
        let people = try (0..<2).map { try a.insertPerson("P\($0)") }
        try cycles.zone.sync(a)
        try cycles.zone.sync(b)
        try a.set("boss", .integer(people[1]), of: people[0])
        try b.set("boss", .integer(b.id(of: people[0], on: a)), of: b.id(of: people[1], on: a))
        for store in [a, b, a] { try cycles.zone.sync(store) }
        #expect(try cycles.sql("a", "SELECT 1 FROM ab_hidden").count == 1)
        a.close()
        let store = try cycles.open("a", model: new.model)
        #expect(
            try cycles.sql("a", "SELECT 1 FROM sqlite_schema WHERE name = 'ab_dropped'").isEmpty)
        #expect(try store.related(people[0], "bosses") == [people[1]])
        #expect(try store.related(people[1], "bosses") == [people[0]])
        #expect(try store.check().isValid && store.canonicalHash() == b.canonicalHash())
    }

    @Test func `is refused the other way round`() throws {
        let error = #expect(throws: MigrationError.self) {
            try InferredMigration(from: new.model, to: old.model)
        }
        #expect(error?.problems.isEmpty == false)
    }
}

extension Store {
    /// Returns the related records in the order of a list.
    fileprivate func ordered(_ owner: LocalID, _ relationship: String) throws -> [LocalID] {
        let relationship = model.entity(named: "Person")!.relationships
            .first { $0.name == relationship }!
        return try read { try $0.related(by: relationship, of: [owner]).map(\.id) }
    }

    fileprivate func place(
        _ order: [LocalID], moving placed: Set<LocalID>, in owner: LocalID, _ relationship: String
    ) throws {
        let relationship = model.entity(named: "Person")!.relationships
            .first { $0.name == relationship }!
        var request = SaveRequest()
        request.lists = [
            .init(relationship: relationship, owner: owner, order: order, placed: placed)
        ]
        _ = try save(request)
    }
}

/// Tests of a to-many with a to-one inverse that becomes ordered in a later version of the model.
@Suite struct `A one-to-many that became ordered` {
    private let scenario: StoreScenario
    private let old: Store
    private let boss: LocalID
    private let reports: [LocalID]

    init() throws {
        scenario = try StoreScenario()
        old = try scenario.open("old")
        let boss = try old.insertPerson("Boss")
        self.boss = boss
        reports = try ["a", "b", "c"].map { [old] in try old.insertPerson($0, boss: boss) }
        try scenario.zone.sync(old)
        scenario.clock.milliseconds += 1000
    }

    private func migrated(_ name: String) throws -> Store {
        try scenario.open(
            name, model: scenario.changedModel { $0.entities[0].relationships[1].isOrdered = true })
    }

    @Test func `shows the members in one order on every replica, and places new ones among them`()
        throws
    {
        let other = try migrated("other")
        try scenario.zone.pull(into: other)
        let hash = try old.canonicalHash()
        old.close()
        let store = try migrated("old")
        #expect(try store.canonicalHash() == hash && ShownState(store) == ShownState(other))
        let shown = try store.ordered(boss, "reports")
        #expect(shown == reports)
        let new = try store.insertPerson("new", boss: boss)
        #expect(try store.ordered(boss, "reports") == reports + [new])
        try store.move(new, before: reports[0], in: reports + [new], of: boss)
        #expect(try store.ordered(boss, "reports") == [new] + reports)
    }

    @Test func `shows later references of the older version, and its own order`() throws {
        let store = try migrated("new")
        try scenario.zone.pull(into: store)
        let onNew = try reports.map { try store.id(of: $0, on: old) }
        let bossOnNew = try store.id(of: boss, on: old)
        try store.move(onNew[2], before: onNew[0], in: onNew, of: bossOnNew)
        #expect(try store.ordered(bossOnNew, "reports") == [onNew[2], onNew[0], onNew[1]])
        scenario.clock.milliseconds += 1000
        try old.set("boss", .null, of: reports[0])
        for store in [old, store, old, store] { try scenario.zone.sync(store) }
        #expect(try store.ordered(bossOnNew, "reports") == [onNew[2], onNew[1]])
        #expect(try store.value("boss", of: onNew[0]) == .null && store.check().isValid)
        #expect(try old.value("boss", of: reports[2]) == .integer(boss))
    }
}

extension Store {
    /// Moves a person within the list of a boss.
    fileprivate func move(
        _ member: LocalID, before next: LocalID, in order: [LocalID], of boss: LocalID
    ) throws {
        let person = model.entity(named: "Person")!
        var order = order.filter { $0 != member }
        order.insert(member, at: order.firstIndex(of: next)!)
        let row = try row("Person", member)!
        var request = SaveRequest()
        request.updates = [
            .init(
                entity: person, slots: [person.slotIndex(named: "boss")!],
                rows: [(member, row.version, row.slots)])
        ]
        request.lists = [
            .init(
                relationship: person.property(named: "reports")!.relationship!, owner: boss,
                order: order, placed: [member])
        ]
        _ = try save(request)
    }
}
