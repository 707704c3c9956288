import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of opening a file with a model of another version.
@Suite struct `A migration` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    /// Opens the file of the scenario with another model.
    private func migrated(_ change: (inout ModelDeclaration) -> Void) throws -> Store {
        try scenario.open("a", model: try scenario.changedModel(change))
    }

    @Test func `adds attributes, which records have no value of or show the default`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let (hash, log) = (try first.canonicalHash(), try first.pending(byteLimit: .max).count)
        first.close()
        let second = try migrated {
            $0.entities[0].attributes.append(AttributeDeclaration("nickname", .string))
            $0.entities[0].attributes.append(
                AttributeDeclaration("rank", .integer64, optional: false, default: 7))
            $0.entities[0].attributes.append(
                AttributeDeclaration("motto", .string, default: .string("it's")))
        }
        #expect(try second.value("name", of: anna) == .string("Anna"))
        #expect(try second.value("age", of: anna) == .integer(30))
        #expect(try second.value("nickname", of: anna) == .null)
        #expect(try second.value("rank", of: anna) == .integer(7))
        #expect(try second.value("motto", of: anna) == .string("it's"))
        #expect(try second.canonicalHash() == hash)
        #expect(try second.pending(byteLimit: .max).count == log)
        try second.set("name", .string("Anne"), of: anna)
        #expect(try second.value("rank", of: anna) == .integer(7))
        #expect(try second.check().isValid)
    }

    @Test func `renames entities and properties by their renaming identifiers`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let bob = try first.insertPerson("Bob", boss: anna)
        let hash = try first.canonicalHash()
        first.close()
        let second = try migrated { declaration in
            declaration.entities[0].name = "Human"
            declaration.entities[0].wireName = nil
            declaration.entities[0].renamingIdentifier = "Person"
            for place in declaration.entities[0].relationships.indices {
                let name = declaration.entities[0].relationships[place].name
                if name != "teams" {
                    declaration.entities[0].relationships[place].destination = "Human"
                }
            }
            declaration.entities[1].relationships[0].destination = "Human"
            declaration.entities[0].attributes[1].name = "fullName"
            declaration.entities[0].attributes[1].wireName = nil
            declaration.entities[0].attributes[1].renamingIdentifier = "name"
        }
        #expect(try second.value("fullName", of: anna, "Human") == .string("Anna"))
        #expect(try second.value("boss", of: bob, "Human") == .integer(anna))
        #expect(try second.related(anna, "reports", of: "Human") == [bob])
        #expect(try second.canonicalHash() == hash)
    }

    @Test func `keeps the values of a removed property, and shows them when it is added again`()
        throws
    {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let team = try first.insert("Team", ["title": .string("A")])
        try first.link(anna, "teams", team)
        let (shown, hash) = (try ShownState(first), try first.canonicalHash())
        first.close()
        let second = try migrated { declaration in
            declaration.entities.remove(at: 1)
            declaration.entities[0].attributes.removeFirst()
            declaration.entities[0].relationships.removeAll { $0.name == "teams" }
        }
        #expect(second.model.entities.count == 1)
        #expect(try second.value("name", of: anna) == .string("Anna"))
        #expect(try second.canonicalHash() == hash)
        second.close()
        let third = try scenario.open("a")
        #expect(try ShownState(third) == shown && third.canonicalHash() == hash)
    }

    @Test func `shows what waited for the new version`() throws {
        let new = try scenario.open("new", model: `A store with an older model`.newModel())
        let anna = try new.insert(
            "Employee", ["name": .string("Anna"), "nickname": .string("A"), "salary": .integer(1)])
        let car = try new.insert("Car", ["plate": .string("X 1")])
        try new.link(anna, "cars", car, of: "Employee")
        let old = try scenario.open("old", model: `A store with an older model`.oldModel())
        for store in [new, old] { try scenario.zone.sync(store) }
        old.close()
        let migrated = try scenario.open("old", model: new.model)
        #expect(try ShownState(migrated) == ShownState(new))
        #expect(try migrated.canonicalHash() == new.canonicalHash())
    }

    @Test func `pushes what was saved before as it is`() throws {
        let first = try scenario.open("a")
        try first.insertPerson("Anna")
        first.close()
        let second = try migrated {
            $0.entities[0].attributes.append(AttributeDeclaration("x", .date))
        }
        try second.insertPerson("Bob")
        try scenario.zone.sync(second)
        let third = try scenario.open("third")
        try scenario.zone.pull(into: third)
        #expect(try third.canonicalHash() == second.canonicalHash())
        #expect(scenario.zone.log.count == 2)
    }

    @Test func `ends the writing of a program that has the file open`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        let second = try migrated {
            $0.entities[0].attributes.append(AttributeDeclaration("x", .date))
        }
        #expect(storeError { try first.insertPerson("Bob") }?.code == .storeChanged)
        #expect(try second.value("name", of: anna) == .string("Anna"))
    }

    @Test func `leaves a program that reads the file what it knows, or tells it to reopen`() throws
    {
        let model = try `A store with an older model`.newModel()
        let reading = try scenario.open("a", model: model)
        let anna = try reading.insert("Employee", ["name": .string("Anna")])
        var more = model.declaration
        more.entities.append(EntityDeclaration("Admin", parent: "Person"))
        let other = try scenario.open("a", model: try ManagedObjectModel(more))
        try other.insert("Admin", ["name": .string("Bob")])
        #expect(try reading.row("Person", anna)?.entity.name == "Employee")
        let place = try #require(more.entities.firstIndex { $0.name == "Person" })
        more.entities[place].attributes.removeAll { $0.name == "nickname" }
        _ = try scenario.open("a", model: try ManagedObjectModel(more))
        let error = storeError { _ = try reading.row("Person", anna) }
        #expect(error?.code == .storeChanged)
    }

    private typealias Refused = (
        name: String, change: @Sendable (inout ModelDeclaration) -> Void
    )

    private static let refused: [Refused] = [
        ("type changes", { $0.entities[0].attributes[0].type = .boolean }),
        ("merge rule", { $0.entities[0].attributes[0].mergeRule = .counter }),
        (
            "mandatory attribute",
            { $0.entities[0].attributes.append(AttributeDeclaration("x", .date, optional: false)) }
        ),
        ("wire name was name", { $0.entities[0].attributes[1].wireName = "other" }),
        ("wire name was Team", { $0.entities[1].wireName = "Group" }),
        (
            "in another place",
            {
                $0.entities[0].relationships[2].isToMany = false
                $0.entities[0].relationships[2].maxCount = 1
            }
        ),
    ]

    @Test(arguments: `A migration`.refused.map(\.name))
    func `is refused if it can't be inferred, and the file stays as it is`(reason: String) throws {
        let first = try scenario.open("a")
        try first.insertPerson("Anna")
        first.close()
        let bytes = scenario.bytes("a")
        let change = try #require(Self.refused.first { $0.name == reason }).change
        let error = storeError { _ = try migrated(change) }
        #expect(error?.code == .migrationNotInferred)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(scenario.bytes("a") == bytes)
    }

    @Test func `says that a file may be newer if the refused migration would narrow it`() throws {
        func message(_ change: (inout ModelDeclaration) -> Void) throws -> String {
            let error = storeError { _ = try migrated(change) }
            #expect(error?.code == .migrationNotInferred)
            return error?.message ?? ""
        }
        try scenario.open("a").close()
        let hint = "If a later version of the app has written it, open it with that one."
        let integer = try #require(
            scenario.model.declaration.entities[0].attributes.firstIndex { $0.name == "age" })
        #expect(
            try message { $0.entities[0].attributes[integer].type = .integer16 }.contains(hint))
        let demanding = try message {
            $0.entities[0].attributes.append(AttributeDeclaration("x", .date, optional: false))
        }
        #expect(!demanding.contains(hint))
    }

    @Test func `is refused where the options or reading only forbid it`() throws {
        try scenario.open("a").close()
        let other = try scenario.changedModel {
            $0.entities[0].attributes.append(AttributeDeclaration("x", .date))
        }
        let settings: [(inout StoreOptions) -> Void] = [
            { $0.migratesStoreAutomatically = false }, { $0.infersMapping = false },
            { $0.isReadOnly = true },
        ]
        for set in settings {
            var options = StoreOptions()
            set(&options)
            let error = storeError { _ = try scenario.open("a", model: other, options: options) }
            #expect(error?.code == .modelMismatch && error?.entity == "Person")
        }
    }

    @Test func `is refused if records share a key that becomes unique`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna")
        let other = try first.insertPerson("Anna")
        try first.insertPerson("Bob")
        first.close()
        func open() throws -> Store {
            try migrated { $0.entities[0].uniquenessConstraints = [UniquenessConstraint("name")] }
        }
        let error = storeError { _ = try open() }
        #expect(error?.code == .constraintConflict && error?.records.sorted() == [anna, other])
        let again = try scenario.open("a")
        try again.delete(other)
        again.close()
        let second = try open()
        #expect(storeError { try second.insertPerson("Bob") }?.code == .constraintConflict)
    }

    @Test func `leaves the old file if its process dies before the end`() throws {
        let first = try scenario.open("a")
        try first.insertPerson("Anna")
        let shown = try ShownState(first)
        first.close()
        struct Crash: Error {}
        let other = try scenario.changedModel {
            $0.entities[0].attributes.append(AttributeDeclaration("x", .date))
        }
        #expect(throws: Crash.self) {
            try scenario.open(
                "a", model: other, faults: TransactionFaults(beforeCommit: { throw Crash() }))
        }
        let again = try scenario.open("a")
        #expect(try ShownState(again) == shown && again.check().isValid)
    }

    @Test func `shows the new default for values that were never written`() throws {
        let old = try scenario.open("old")
        let anna = try old.insertPerson("Anna")
        old.close()
        func open(_ value: Int64) throws -> Store {
            var declaration = scenario.model.declaration
            declaration.entities[0].attributes.append(
                AttributeDeclaration("rank", .integer64, default: .integer(value)))
            return try scenario.open("old", model: try ManagedObjectModel(declaration))
        }
        for value in [1, 2] as [Int64] {
            let store = try open(value)
            #expect(try store.value("rank", of: anna) == .integer(value))
            store.close()
        }
    }

    /// A file that is migrated twice in the middle of a history has what a new file of the last
    /// version has.
    @Test(arguments: TestLength.seeds(80))
    func `makes the file equal to a new file of the version`(seed: UInt64) throws {
        let versions =
            try [
                `Stores and the reference merge`.modelOfAllRules(),
                `Stores and the reference merge`.modelOfAllRules { $0 < "f" },
                `Stores and the reference merge`.model(),
            ] + `Stores and the reference merge`.olderModels()
        let history = try RandomHistory(seed: seed, steps: 40, rules: .all)
        var reference = ReferenceMerge()
        for set in history.changeSets { try reference.apply(set) }
        var generator = SeededGenerator(seed: seed)
        let order = history.causalOrder(seed: seed)
        var last = versions[0]
        for third in 0..<3 {
            for set in order[order.count * third / 3..<order.count * (third + 1) / 3] {
                scenario.zone.append(set)
            }
            let next = versions.randomElement(using: &generator) ?? last
            if third == 0 || (try? InferredMigration(from: last, to: next)) != nil { last = next }
            let store = try scenario.open("a", model: last)
            try scenario.zone.pull(into: store)
            store.close()
        }
        let store = try scenario.open("a", model: last)
        let new = try scenario.open("new", model: last)
        try scenario.zone.pull(into: new)
        #expect(try store.canonicalHash() == reference.canonicalHash)
        #expect(try ShownState(store) == ShownState(new))
        #expect(try store.check().isValid)
    }
}
