import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of migrations that change tables without writing rows.
@Suite struct `A migration without a pass over the rows` {
    let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    /// The next version: attributes, references, links and an entity are added, and the entity, an
    /// attribute and a relationship are renamed, with two of them exchanging their names.
    private func nextVersion() throws -> ManagedObjectModel {
        try scenario.changedModel { declaration in
            declaration.entities[0].attributes[0].name = "name"
            declaration.entities[0].attributes[0].renamingIdentifier = "age"
            declaration.entities[0].attributes[1].name = "age"
            declaration.entities[0].attributes[1].renamingIdentifier = "name"
            declaration.entities[0].attributes[0].wireName = "age"
            declaration.entities[0].attributes[1].wireName = "name"
            declaration.entities[0].attributes += [
                AttributeDeclaration("nickname", .string),
                AttributeDeclaration("rank", .integer64, optional: false, default: 7),
            ]
            declaration.entities[0].relationships += [
                RelationshipDeclaration("cars", toMany: "Car", inverse: "owner"),
                RelationshipDeclaration("favourite", to: "Car"),
                RelationshipDeclaration("trips", toMany: "Car", inverse: "passengers"),
            ]
            declaration.entities.append(
                EntityDeclaration("Car") {
                    AttributeDeclaration("plate", .string)
                    RelationshipDeclaration("owner", to: "Person", inverse: "cars")
                    RelationshipDeclaration("passengers", toMany: "Person", inverse: "trips")
                })
        }
    }

    /// Whether the last migration of a file left its rows as they were.
    private func wasAltered(_ name: String) throws -> Bool {
        try !scenario.sql(name, "SELECT 1 FROM sqlite_schema WHERE name = 'ab_addition'").isEmpty
    }

    @Test func `writes no row, and the new properties count as never written`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let bob = try first.insertPerson("Bob", age: 20, boss: anna)
        let hash = try first.canonicalHash()
        first.close()
        let before = try scenario.sql("a", "SELECT ab_pk, ab_version, ab_writes FROM Person")
        let second = try scenario.open("a", model: try nextVersion())
        #expect(try scenario.sql("a", "SELECT ab_pk, ab_version, ab_writes FROM Person") == before)
        #expect(try wasAltered("a"))
        #expect(try second.canonicalHash() == hash)
        #expect(try second.value("age", of: anna) == .string("Anna"))
        #expect(try second.value("name", of: anna) == .integer(30))
        #expect(try second.value("rank", of: anna) == .integer(7))
        #expect(try second.related(anna, "reports") == [bob])
        #expect(try second.related(anna, "cars").isEmpty)
        #expect(try second.check().isValid)
        try second.set("nickname", .string("B"), of: bob)
        #expect(try second.value("nickname", of: bob) == .string("B"))
        #expect(try second.value("nickname", of: anna) == .null)
        try scenario.zone.sync(second)
        let new = try scenario.open("new", model: second.model)
        try scenario.zone.pull(into: new)
        #expect(try ShownState(new) == ShownState(second))
        #expect(try new.canonicalHash() == second.canonicalHash())
    }

    @Test func `is taken only if nothing waits for the new version`() throws {
        let new = try scenario.open("new", model: try nextVersion())
        let old = try scenario.open("old")
        let anna = try old.insertPerson("Anna", age: 30)
        try scenario.zone.sync(old)
        try scenario.zone.sync(new)
        let record = try #require(try old.recordID(of: anna))
        let there = try #require(try new.localID(of: record))
        try new.set("nickname", .string("A"), of: there)
        try scenario.zone.sync(new)
        try scenario.zone.sync(old)
        old.close()
        let migrated = try scenario.open("old", model: new.model)
        #expect(try !wasAltered("old"))
        #expect(try migrated.value("nickname", of: anna) == .string("A"))
        #expect(try migrated.canonicalHash() == new.canonicalHash())
    }

    @Test func `adds and removes transient relationships without a change of the tables`() throws {
        let transient = try scenario.changedModel { declaration in
            declaration.entities[0].relationships += [
                RelationshipDeclaration("guest", to: "Person", transient: true, inverse: "hosts"),
                RelationshipDeclaration(
                    "hosts", toMany: "Person", transient: true, ordered: true, inverse: "guest"),
                RelationshipDeclaration("pair", to: "Person", transient: true, inverse: "pair"),
            ]
        }
        let store = try scenario.open("a")
        let anna = try store.insertPerson("Anna", age: 30)
        let plain = store.model
        store.close()
        #expect(!plain.hasVersion(of: transient))
        let query = "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'ab_%' ORDER BY name"
        let tables = try scenario.sql("a", query)
        for model in [transient, plain, transient] {
            let next = try scenario.open("a", model: model)
            #expect(next.model == model)
            try next.set("age", .integer(31), of: anna)
            try next.set("age", .integer(30), of: anna)
            #expect(try next.check().isValid)
            next.close()
            #expect(try scenario.sql("a", query) == tables)
        }
    }

    @Test func `keeps what a relationship had while it is transient`() throws {
        let transient = try scenario.changedModel { declaration in
            for entity in declaration.entities.indices {
                for place in declaration.entities[entity].relationships.indices {
                    declaration.entities[entity].relationships[place].isTransient = true
                }
            }
        }
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        let bob = try first.insertPerson("Bob", age: 20, boss: anna)
        let team = try first.insert("Team", ["title": .string("T")])
        try first.link(bob, "teams", team, isAdded: true)
        let (plain, hash) = (first.model, try first.canonicalHash())
        first.close()
        let second = try scenario.open("a", model: transient)
        #expect(try second.value("boss", of: bob) == .null)
        #expect(try second.related(bob, "teams").isEmpty)
        #expect(try second.canonicalHash() == hash && second.check().isValid)
        try second.set("age", .integer(21), of: bob)
        second.close()
        let third = try scenario.open("a", model: plain)
        #expect(try third.value("boss", of: bob) == .integer(anna))
        #expect(try third.related(bob, "teams") == [team])
        #expect(try third.value("age", of: bob) == .integer(21) && third.check().isValid)
    }

    @Test func `survives another one, and a pass over the rows`() throws {
        let first = try scenario.open("a")
        let anna = try first.insertPerson("Anna", age: 30)
        first.close()
        let second = try scenario.open("a", model: try nextVersion())
        let bob = try second.insert("Person", ["nickname": .string("B")])
        second.close()
        var declaration = try nextVersion().declaration
        let person = try #require(declaration.entities.firstIndex { $0.name == "Person" })
        // A renaming identifier is a name in the version before.
        for place in declaration.entities[person].attributes.indices {
            declaration.entities[person].attributes[place].renamingIdentifier = nil
        }
        let attributes = declaration.entities[person].attributes
        declaration.entities[person].attributes.append(
            AttributeDeclaration("motto", .string, default: "-"))
        let third = try scenario.open("a", model: try ManagedObjectModel(declaration))
        let hash = try third.canonicalHash()
        #expect(try third.value("motto", of: bob) == .string("-"))
        #expect(try third.value("nickname", of: anna) == .null)
        third.close()
        #expect(try wasAltered("a"))
        // A wider type is a property of its own.
        declaration.entities[person].attributes = attributes.map {
            $0.name == "rank" ? AttributeDeclaration("rank", .string) : $0
        }
        let last = try scenario.open("a", model: try ManagedObjectModel(declaration))
        #expect(try !wasAltered("a"))
        #expect(try last.canonicalHash() == hash)
        #expect(try last.value("nickname", of: bob) == .string("B"))
        #expect(try last.check().isValid)
    }

    /// Two replicas save at random. Each migrates at a random time, and both end with what a new
    /// file of the new version has.
    @Test(arguments: TestLength.seeds(100))
    func `of replicas that migrate at different times leaves them equal`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let next = try nextVersion()
        let names = ["a", "b"]
        var stores = try names.map { try scenario.open($0) }
        var hasMigrated = [false, false]
        for step in 0..<40 {
            let place = Int.random(in: 0...1, using: &generator)
            if generator.oneIn(10), !hasMigrated[place] {
                let hash = try stores[place].canonicalHash()
                stores[place].close()
                stores[place] = try scenario.open(names[place], model: next)
                hasMigrated[place] = true
                #expect(try stores[place].canonicalHash() == hash)
            }
            scenario.clock.milliseconds += 10
            try save(step, in: stores[place], isNew: hasMigrated[place], &generator)
            if generator.oneIn(4) { try scenario.zone.sync(stores[place]) }
        }
        for place in [0, 1] where !hasMigrated[place] {
            stores[place].close()
            stores[place] = try scenario.open(names[place], model: next)
        }
        for store in stores + stores { try scenario.zone.sync(store) }
        let new = try scenario.open("new", model: next)
        try scenario.zone.pull(into: new)
        let reference = try scenario.zone.reference().canonicalHash
        for store in stores + [new] {
            #expect(try store.canonicalHash() == reference)
            #expect(try ShownState(store) == ShownState(new))
            #expect(try store.check().isValid)
        }
    }

    private func save(
        _ step: Int, in store: Store, isNew: Bool, _ generator: inout SeededGenerator
    ) throws {
        let people = try store.allIDs("Person")
        let name = isNew ? "age" : "name"
        guard let person = people.randomElement(using: &generator), !generator.oneIn(4) else {
            try store.insert("Person", [name: .string("P\(step)")])
            return
        }
        let other = people.randomElement(using: &generator) ?? person
        switch Int.random(in: 0...(isNew ? 7 : 3), using: &generator) {
        case 0: try store.set(name, .string("Q\(step)"), of: person)
        case 1: try store.set("boss", .integer(other), of: person)
        case 2: try store.delete(person)
        case 3: try store.set(isNew ? "name" : "age", .integer(Int64(step)), of: person)
        case 4: try store.set("nickname", .string("N\(step)"), of: person)
        case 5: try store.set("rank", .integer(Int64(step)), of: person)
        default:
            let car = try store.insert("Car", ["plate": .string("X\(step)")])
            _ = try store.update("Car", car, ["owner": .integer(person)])
            try store.link(other, "trips", car)
            try store.set("favourite", .integer(car), of: other)
        }
    }
}
