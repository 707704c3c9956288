import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of the operations that a save writes under merge rules that depend on the held value.
@Suite struct `Saves under merge rules` {
    let scenario: StoreScenario
    let a: Store
    let b: Store

    init() throws {
        scenario = try StoreScenario(
            model: ManagedObjectModel {
                EntityDeclaration("Person", deletePolicy: .updateWins) {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("visits", .integer64, mergeRule: .counter)
                    AttributeDeclaration("best", .integer64, mergeRule: .max)
                    AttributeDeclaration("born", .date, mergeRule: .firstWriter)
                    AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                    RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
                }
                EntityDeclaration("Team") {
                    AttributeDeclaration("title", .string)
                    RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
                }
            })
        a = try scenario.open("a")
        b = try scenario.open("b")
    }

    private func shared(_ values: [String: PropertyValue]) throws -> (LocalID, LocalID) {
        let anna = try a.insert("Person", values)
        try sync()
        return (anna, try b.id(of: anna, on: a))
    }

    private func sync() throws {
        for store in [a, b, a, b] { try scenario.zone.sync(store) }
        let hash = try scenario.zone.reference().canonicalHash
        #expect(try a.canonicalHash() == hash && b.canonicalHash() == hash)
    }

    private func set(_ store: Store, _ id: LocalID, _ key: String, _ value: PropertyValue) throws {
        _ = try store.update("Person", id, [key: value])
    }

    @Test func `a counter gets what each has added, once`() throws {
        let (here, there) = try shared(["visits": .integer(10)])
        try set(a, here, "visits", .integer(13))
        try set(a, here, "visits", .integer(12))
        try set(b, there, "visits", .integer(15))
        try sync()
        #expect(try a.value("visits", of: here) == .integer(17))
        #expect(try b.value("visits", of: there) == .integer(17))
        #expect(try a.conflicts().isEmpty && b.conflicts().isEmpty)
        let error = storeError { try set(a, here, "visits", .null) }
        #expect(error?.code == .cannotWin && error?.property == "visits")
    }

    @Test func `a greatest value stays, and a write that can't win is refused`() throws {
        let (here, there) = try shared(["best": .integer(10)])
        try set(a, here, "best", .integer(30))
        scenario.clock.milliseconds += 10
        try set(b, there, "best", .integer(20))
        try sync()
        #expect(try b.value("best", of: there) == .integer(30))
        #expect(try b.conflicts().isEmpty, "the greatest of all is what was asked for")
        let before = try a.canonicalHash()
        #expect(storeError { try set(a, here, "best", .integer(29)) }?.code == .cannotWin)
        #expect(storeError { try set(a, here, "best", .null) }?.code == .cannotWin)
        #expect(try a.canonicalHash() == before)
    }

    @Test func `the first write stays, and nothing at the insert is no write`() throws {
        let (here, there) = try shared(["name": .string("Anna")])
        try set(a, here, "born", .date(1))
        scenario.clock.milliseconds += 10
        try set(b, there, "born", .date(2))
        try sync()
        #expect(try b.value("born", of: there) == .date(1))
        #expect(try b.conflicts().map(\.value) == [.date(2)])
        #expect(storeError { try set(b, there, "born", .date(3)) }?.code == .cannotWin)
        let both = try a.insertRows("Person", [["born": .date(5)], [:], ["born": .date(7)]])
        try sync()
        #expect(try both.map { try a.value("born", of: $0) } == [.date(5), .null, .date(7)])
    }

    @Test func `concurrent values stay side by side until a write that has seen both`() throws {
        let (here, there) = try shared(["note": .string("old")])
        try set(a, here, "note", .string("from a"))
        scenario.clock.milliseconds += 10
        try set(b, there, "note", .string("from b"))
        try sync()
        for (store, id) in [(a, here), (b, there)] {
            #expect(try store.value("note", of: id) == .string("from b"))
            #expect(try notes(of: id, on: store) == ["from a", "from b"])
        }
        try set(a, here, "note", .string("both"))
        try sync()
        #expect(try notes(of: there, on: b) == ["both"])
        #expect(try b.value("note", of: there) == .string("both"))
    }

    private func notes(of id: LocalID, on store: Store) throws -> [String] {
        let record = try store.recordID(of: id)
        var found: [String] = []
        try store.read { reader in
            try reader.canonicalRecords { canonical in
                guard canonical.id == record else { return }
                for cell in canonical.cells where cell.property.name == "note" {
                    if case .string(let text) = cell.value { found.append(text) }
                }
            }
        }
        return found.sorted()
    }

    @Test func `an update wins over a delete that has not seen it, with all that was there`()
        throws
    {
        let (here, there) = try shared(["name": .string("Anna"), "visits": .integer(1)])
        let team = try a.insert("Team", ["title": .string("Blue")])
        try a.link(here, "teams", team)
        try sync()
        try a.delete(here)
        #expect(try a.row("Person", here) == nil)
        #expect(try a.related(team, "members", of: "Team").isEmpty, "out of sight")
        try set(b, there, "name", .string("Anne"))
        try sync()
        for (store, id) in [(a, here), (b, there)] {
            #expect(try store.value("name", of: id) == .string("Anne"))
            #expect(try store.value("visits", of: id) == .integer(1))
            #expect(try store.related(id, "teams").count == 1)
        }
        try b.delete(there)
        try sync()
        #expect(try a.row("Person", here) == nil, "this delete has seen all")
    }

    @Test func `a delta does not bring a deleted record back, and counts when it comes back`()
        throws
    {
        let (here, there) = try shared(["name": .string("Anna"), "visits": .integer(1)])
        try a.delete(here)
        try set(b, there, "visits", .integer(5))
        try sync()
        #expect(try a.row("Person", here) == nil && b.row("Person", there) == nil)
        let c = try scenario.open("c")
        for set in scenario.zone.log.prefix(1) { _ = set }
        try scenario.zone.pull(into: c)
        #expect(try c.canonicalHash() == a.canonicalHash())
    }

    @Test func `a restored record is reported as inserted, a dead one as deleted`() throws {
        let (here, there) = try shared(["name": .string("Anna")])
        try a.delete(here)
        try scenario.zone.push(from: a)
        try set(b, there, "name", .string("Anne"))
        let died = try scenario.zone.pull(into: b)
        #expect(died.entities.flatMap(\.deleted).isEmpty, "the update is not seen by the delete")
        try scenario.zone.push(from: b)
        let revived = try scenario.zone.pull(into: a)
        #expect(revived.entities.flatMap(\.inserted) == [here])
    }
}

extension Store {
    func insertRows(_ entity: String, _ rows: [[String: PropertyValue]]) throws -> [LocalID] {
        let entity = model.entity(named: entity)!
        let ids = Array(try reserveNumbers(rows.count))
        var request = SaveRequest()
        request.inserts = [
            .init(
                entity: entity,
                rows: zip(ids, rows).map { (id: $0, slots: slots(of: entity, $1)) })
        ]
        _ = try save(request)
        return ids
    }
}
