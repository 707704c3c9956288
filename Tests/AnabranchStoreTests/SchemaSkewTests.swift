import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of stores of one zone with different models.
@Suite struct `A store with an older model` {
    let scenario: StoreScenario
    let new: Store
    let old: Store

    init() throws {
        scenario = try StoreScenario(model: Self.newModel())
        new = try scenario.open("new")
        old = try scenario.open("old", model: Self.oldModel())
    }

    static func newModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                AttributeDeclaration("nickname", .string)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
                RelationshipDeclaration("cars", toMany: "Car", inverse: "drivers")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("salary", .integer64)
            }
            EntityDeclaration("Team") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
            }
            EntityDeclaration("Car") {
                AttributeDeclaration("plate", .string)
                RelationshipDeclaration("drivers", toMany: "Person", inverse: "cars")
            }
        }
    }

    /// Returns a model without a sub-entity, an entity, attributes and a relationship.
    static func oldModel() throws -> ManagedObjectModel {
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

    private func exchange() throws {
        for _ in 0..<2 { for store in [new, old] { try scenario.zone.sync(store) } }
        let expected = try scenario.zone.reference().canonicalHash
        #expect(try new.canonicalHash() == expected)
        #expect(try old.canonicalHash() == expected)
    }

    private func there(_ id: LocalID) throws -> LocalID { try old.id(of: id, on: new) }

    @Test func `keeps what it does not know through its own edits`() throws {
        let anna = try new.insert(
            "Person", ["name": .string("Anna"), "nickname": .string("A\u{301}")])
        let car = try new.insert("Car", ["plate": .string("X 1")])
        try new.link(anna, "cars", car)
        try exchange()
        try old.set("name", .string("Anne"), of: there(anna))
        try exchange()
        #expect(try new.value("nickname", of: anna) == .string("A\u{301}"))
        #expect(try new.value("name", of: anna) == .string("Anne"))
        #expect(try new.related(anna, "cars") == [car])
        let third = try scenario.open("third")
        try scenario.zone.pull(into: third)
        #expect(try third.canonicalHash() == new.canonicalHash())
    }

    @Test func `merges what it does not know`() throws {
        let other = try scenario.open("other")
        let anna = try new.insert("Person", ["nickname": .string("first")])
        let car = try new.insert("Car", ["plate": .string("first")])
        for store in [new, old, other] { try scenario.zone.sync(store) }
        let annaThere = try other.id(of: anna, on: new)
        let carThere = try other.id(of: car, on: new)
        scenario.clock.milliseconds += 1000
        _ = try new.update("Person", anna, ["nickname": .string("loser")])
        _ = try new.update("Car", car, ["plate": .string("loser")])
        scenario.clock.milliseconds += 1
        _ = try other.update("Person", annaThere, ["nickname": .string("winner")])
        _ = try other.update("Car", carThere, ["plate": .string("winner")])
        // The later write arrives first, then the earlier one.
        for store in [other, old, new, old, other] { try scenario.zone.sync(store) }
        try exchange()
        #expect(try other.canonicalHash() == old.canonicalHash())
        #expect(try new.value("nickname", of: anna) == .string("winner"))
        #expect(
            try old.conflicts().map(\.value).map { "\($0)" }.sorted()
                == new.conflicts().map(\.value).map { "\($0)" }.sorted())
    }

    @Test func `deletes what it does not know, and what belongs to it`() throws {
        let anna = try new.insert("Person", ["nickname": .string("A")])
        let car = try new.insert("Car", [:])
        let kept = try new.insert("Car", [:])
        try new.link(anna, "cars", car)
        try new.link(anna, "cars", kept)
        try exchange()
        let row = try #require(try new.row("Car", car))
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(car, row.version)])]
        _ = try new.save(request)
        try exchange()
        #expect(
            try scenario.sql("old", "SELECT count(*) FROM ab_deferred_link") == [[.integer(1)]])
        // A store deletes a record with properties and links that it does not know.
        try old.delete(there(anna))
        try exchange()
        #expect(
            try scenario.sql(
                "old",
                """
                SELECT (SELECT count(*) FROM ab_deferred_link),
                (SELECT count(*) FROM ab_deferred_record),
                (SELECT count(*) FROM ab_deferred_cell WHERE name = 'nickname')
                """) == [[.integer(0), .integer(1), .integer(0)]])
        #expect(try new.related(kept, "drivers", of: "Car") == [])
    }

    @Test func `keeps known relationships of records with a sub-entity that it does not know`()
        throws
    {
        let boss = try new.insert("Employee", ["name": .string("Boss"), "salary": .integer(5)])
        let anna = try new.insert("Person", ["name": .string("Anna"), "boss": .integer(boss)])
        let team = try new.insert("Team", [:])
        try new.link(boss, "teams", team)
        try new.link(anna, "teams", team)
        try exchange()
        #expect(try old.value("boss", of: there(anna)) == .null, "not held as an object here")
        #expect(try old.related(there(team), "members", of: "Team") == [try there(anna)])
        _ = try new.update("Employee", boss, ["name": .string("Chief")])
        try new.link(boss, "teams", team, isAdded: false)
        try new.link(boss, "teams", team)
        try exchange()
        let row = try #require(try new.row("Employee", boss))
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(boss, row.version)])]
        _ = try new.save(request)
        try exchange()
        #expect(try scenario.sql("old", "SELECT count(*) FROM Person_teams") == [[.integer(1)]])
    }

    @Test func `a store keeps the records of an entity that its model has as abstract`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person", isAbstract: true) {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("salary", .integer64)
            }
        }
        let abstract = try scenario.open("abstract", model: model)
        let anna = try new.insert("Person", ["name": .string("Anna")])
        try exchange()
        try scenario.zone.sync(abstract)
        try new.set("age", .integer(4), of: anna)
        try exchange()
        try scenario.zone.sync(abstract)
        #expect(try abstract.canonicalHash() == new.canonicalHash())
        #expect(try abstract.conflicts().isEmpty)
        try new.delete(anna)
        try exchange()
        try scenario.zone.sync(abstract)
        #expect(try abstract.canonicalHash() == new.canonicalHash())
    }

    @Test func `journals what another deleted of what it does not know`() throws {
        let other = try scenario.open("other")
        let car = try new.insert("Car", ["plate": .string("first")])
        for store in [new, other, old] { try scenario.zone.sync(store) }
        _ = try other.update("Car", other.id(of: car, on: new), ["plate": .string("lost")])
        let row = try #require(try new.row("Car", car))
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(car, row.version)])]
        for store in [other, old] { try scenario.zone.sync(store) }
        _ = try new.save(request)
        try exchange()
        let lost = try old.conflicts().filter { $0.kind == .deletedWhileWritten }
        #expect(lost.map(\.value) == [.string("lost")])
    }

    /// A store with an older model inserts without the properties that it does not know. They are
    /// unwritten, which is not null.
    @Test func `leaves what it does not know unwritten`() throws {
        let anna = try old.insertPerson("Anna")
        try exchange()
        let there = try new.id(of: anna, on: old)
        #expect(try new.value("nickname", of: there) == .null)
        _ = try new.update("Person", there, ["nickname": .null])
        try exchange()
        _ = try new.update("Person", there, ["nickname": .string("A")])
        try exchange()
    }
}
