import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `A save` {
    let scenario: StoreScenario
    let store: Store

    init() throws {
        scenario = try StoreScenario()
        store = try scenario.open("a")
    }

    @Test func `without changes is none`() throws {
        let result = try store.save(SaveRequest(author: "nobody"))
        #expect(result.dot == nil)
        #expect(try store.pendingSaves().count == 0)
    }

    @Test func `is one change set with author and name`() throws {
        var request = SaveRequest(author: "anna", name: "seating plan")
        let ids = try store.reserveNumbers(2)
        request.inserts = [
            .init(
                entity: scenario.person,
                rows: [(ids.lowerBound, store.slots(of: scenario.person, ["name": .string("A")]))]),
            .init(
                entity: scenario.team,
                rows: [(ids.upperBound, store.slots(of: scenario.team, ["title": .string("T")]))]),
        ]
        request.links = [
            .init(
                relationship: try #require(
                    scenario.person.relationships.first { $0.name == "teams" }),
                owner: ids.lowerBound, other: ids.upperBound, isAdded: true)
        ]
        let result = try store.save(request)
        #expect(result.dot == Dot(replica: try store.replica, sequence: 1))
        let entry = try #require(try store.read { try $0.changeSets(after: 0, limit: 2) }.first)
        #expect(entry.changeSet.author == "anna")
        #expect(entry.changeSet.name == "seating plan")
        #expect(entry.localPosition == result.version.position)
        #expect(try entry.changeSet.decodedPayload().blocks.count == 3)
        #expect(try store.row("Person", ids.lowerBound)?.version == result.version)
        #expect(try store.related(ids.upperBound, "members", of: "Team") == [ids.lowerBound])
    }

    @Test func `gives the versions that are then in the rows`() throws {
        let ids = try store.insertPeople(3)
        let rows = try ids.map { try #require(try store.row("Person", $0)) }
        let slot = try #require(scenario.person.slotIndex(named: "age"))
        var request = SaveRequest()
        request.updates = [
            .init(
                entity: scenario.person, slots: [slot],
                rows: rows.map { row in
                    var slots = row.slots
                    slots[slot] = .integer(100)
                    return (row.id, row.version, slots)
                })
        ]
        let result = try store.save(request)
        let versions = try ids.map { try #require(try store.row("Person", $0)).version }
        #expect(Set(versions) == [result.version])
        #expect(rows.allSatisfy { $0.version != result.version })
    }

    @Test func `a save of stale rows names them all and writes nothing`() throws {
        let ids = try store.insertPeople(4)
        let rows = try ids.map { try #require(try store.row("Person", $0)) }
        try store.set("age", .integer(50), of: ids[0])
        try store.delete(ids[1])
        let hash = try store.canonicalHash()
        let slot = try #require(scenario.person.slotIndex(named: "age"))
        var request = SaveRequest()
        let fresh = try store.reserveNumbers(1).lowerBound
        request.inserts = [
            .init(entity: scenario.person, rows: [(fresh, store.slots(of: scenario.person, [:]))])
        ]
        request.updates = [
            .init(
                entity: scenario.person, slots: [slot],
                rows: rows[0...2].map { ($0.id, $0.version, $0.slots) })
        ]
        request.deletes = [
            .init(entity: scenario.person, rows: [(ids[3], RowVersion(.max))])
        ]
        let error = storeError { _ = try store.save(request) }
        #expect(error?.code == .mergeConflict)
        #expect(error?.records.sorted() == [ids[0], ids[1], ids[3]])
        #expect(try store.canonicalHash() == hash)
        #expect(try store.pendingSaves().count == 3)
    }

    @Test func `a save that deletes removes links and leaves references, which read nil`() throws {
        let boss = try store.insertPerson("Boss")
        let anna = try store.insertPerson("Anna", boss: boss)
        let team = try store.insert("Team", ["title": .string("T")])
        try store.link(boss, "teams", team)
        try store.link(anna, "teams", team)
        #expect(try store.related(boss, "reports") == [anna])
        let version = try #require(try store.row("Person", anna)).version
        try store.delete(boss)
        #expect(try store.value("boss", of: anna) == .null)
        #expect(try store.row("Person", anna)?.version == version, "no cell was written")
        #expect(try store.related(team, "members", of: "Team") == [anna])
        #expect(try scenario.sql("a", "SELECT count(boss) FROM Person") == [[.integer(1)]])
    }

    @Test func `a save that links a deleted record is a conflict, and replicas agree`() throws {
        let anna = try store.insertPerson("Anna")
        let team = try store.insert("Team", ["title": .string("T")])
        try store.delete(anna)
        let error = storeError { try store.link(team, "members", anna, of: "Team") }
        #expect(error?.code == .mergeConflict)
        #expect(error?.records == [anna])
        try scenario.zone.sync(store)
        #expect(try scenario.zone.reference().canonicalHash == store.canonicalHash())
    }

    @Test func `a save that links twice or removes a missing link changes nothing`() throws {
        let anna = try store.insertPerson("Anna")
        let team = try store.insert("Team", ["title": .string("T")])
        try store.link(anna, "teams", team, isAdded: false)
        try store.link(anna, "teams", team)
        let hash = try store.canonicalHash()
        try store.link(team, "members", anna, of: "Team")
        #expect(try store.canonicalHash() == hash)
        try store.link(team, "members", anna, of: "Team", isAdded: false)
        #expect(try store.related(anna, "teams") == [])
        try scenario.zone.sync(store)
        #expect(try scenario.zone.reference().canonicalHash == store.canonicalHash())
    }

    @Test func `a save with an author name that no reader accepts is refused`() throws {
        var request = SaveRequest(author: String(repeating: "é", count: 513))
        let id = try store.reserveNumbers(1).lowerBound
        request.inserts = [
            .init(entity: scenario.person, rows: [(id, store.slots(of: scenario.person, [:]))])
        ]
        #expect(storeError { _ = try store.save(request) }?.code == .saveTooLarge)
        request.author = String(repeating: "é", count: 512)
        #expect(try store.save(request).dot?.sequence == 1)
    }

    @Test func `a save with values that another store would refuse is refused`() throws {
        #expect(
            storeError { try store.insert("Person", ["age": .string("seven")]) }?.code
                == .invalidValue)
        #expect(try store.pendingSaves().count == 0)
    }

    @Test func `a save under a new replica ID renames objects made before, and references follow`()
        throws
    {
        let team = try store.insert("Team", ["title": .string("T")])
        let ids = Array(try store.reserveNumbers(2))
        let early = try store.insertPerson("early")
        let old = try #require(try store.row("Person", early))
        try store.renewIdentity()
        let person = scenario.person
        var request = SaveRequest()
        request.inserts = [
            .init(
                entity: person,
                rows: [
                    (ids[0], store.slots(of: person, ["name": .string("boss")])),
                    (ids[1], store.slots(of: person, ["boss": .integer(ids[0])])),
                ])
        ]
        let slot = try #require(person.slotIndex(named: "boss"))
        var slots = old.slots
        slots[slot] = .integer(ids[0])
        request.updates = [
            .init(entity: person, slots: [slot], rows: [(early, old.version, slots)])
        ]
        request.links = [
            .init(
                relationship: try #require(person.relationships.first { $0.name == "teams" }),
                owner: ids[1], other: team, isAdded: true)
        ]
        let result = try store.save(request)
        let boss = try #require(result.renamed[ids[0]])
        let report = try #require(result.renamed[ids[1]])
        #expect(boss.ordinal == 1 && report.ordinal == 1)
        #expect(try store.value("boss", of: report) == .integer(boss))
        #expect(try store.value("boss", of: early) == .integer(boss))
        #expect(try store.related(team, "members", of: "Team") == [report])
        #expect(try store.row("Person", ids[0]) == nil)
        #expect(result.dot == Dot(replica: try store.replica, sequence: 1))
        try scenario.zone.sync(store)
        #expect(try scenario.zone.reference().canonicalHash == store.canonicalHash())
        // The identity changes only once.
        let later = try store.insertPerson("later")
        #expect(later.ordinal == 1)
    }
}
