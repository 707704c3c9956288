import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Returns changed records as text, one line for each record.
private func lines(_ changed: ChangedRecords) -> [String] {
    changed.entities.flatMap { entity in
        let name = entity.entity.name
        let names = entity.entity.slots.map(\.name)
        let updates = entity.updated.flatMap { update in update.ids.map { ($0, update.slots) } }
        let updated = updates.sorted { $0.0 < $1.0 }.map { id, slots in
            let slots = slots.slots.map { names[$0] }.joined(separator: " ")
            return "\(name) \(id) updated \(slots)"
        }
        return entity.inserted.map { "\(name) \($0) inserted" } + updated
            + entity.deleted.map { "\(name) \($0) deleted" }
    }
}

@Suite struct `Changed records` {
    let scenario: StoreScenario
    let a: Store
    let b: Store
    let boss: LocalID
    let anna: LocalID
    let team: LocalID

    init() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
                RelationshipDeclaration("teams", toMany: "Team", inverse: "members")
            }
            EntityDeclaration("Employee", parent: "Person") {
                AttributeDeclaration("salary", .integer64)
            }
            EntityDeclaration("Team") {
                AttributeDeclaration("title", .string)
                RelationshipDeclaration("members", toMany: "Person", inverse: "teams")
            }
        }
        scenario = try StoreScenario(model: model)
        a = try scenario.open("a")
        b = try scenario.open("b")
        // Equal ordinals and numbers on both sides would hide mistakes.
        try b.insertPeople(3)
        boss = try a.insert("Employee", ["name": .string("Boss")])
        anna = try a.insert("Person", ["name": .string("Anna"), "boss": .integer(boss)])
        team = try a.insert("Team", [:])
    }

    private func there(_ id: LocalID) throws -> LocalID { try b.id(of: id, on: a) }

    private func pull() throws -> [String] {
        try scenario.zone.push(from: a)
        return lines(try scenario.zone.pull(into: b))
    }

    @Test func `insertions are reported only as insertions`() throws {
        let changed = try pull()
        let expected = [
            "Employee \(try there(boss)) inserted", "Person \(try there(anna)) inserted",
            "Team \(try there(team)) inserted",
        ]
        #expect(changed.sorted() == expected)
    }

    @Test func `written attributes are reported as their record and its written slots`() throws {
        _ = try pull()
        try a.set("age", .integer(5), of: anna)
        try a.set("name", .string("Anne"), of: anna)
        #expect(try pull() == ["Person \(try there(anna)) updated age name"])
    }

    @Test func `a write that lost is not reported`() throws {
        _ = try pull()
        try a.set("age", .integer(5), of: anna)
        scenario.clock.milliseconds += 1
        try b.set("age", .integer(6), of: there(anna))
        #expect(try pull() == [])
    }

    @Test func `a changed to-one is reported for the record and for both of its targets`() throws {
        let other = try a.insertPerson("Other")
        _ = try pull()
        try a.set("boss", .integer(other), of: anna)
        let expected = [
            "Employee \(try there(boss)) updated reports", "Person \(try there(anna)) updated boss",
            "Person \(try there(other)) updated reports",
        ]
        #expect(try pull().sorted() == expected.sorted())
    }

    @Test func `an update of a record and of its inverse are reported as one entry`() throws {
        _ = try pull()
        _ = try a.update("Employee", boss, ["salary": .integer(1)])
        _ = try a.insert("Person", ["boss": .integer(boss)])
        let changed = try pull().filter { !$0.contains("inserted") }
        #expect(changed == ["Employee \(try there(boss)) updated reports salary"])
    }

    @Test func `a changed link is reported for both of its ends`() throws {
        _ = try pull()
        try a.link(boss, "teams", team)
        let expected = [
            "Employee \(try there(boss)) updated teams", "Team \(try there(team)) updated members",
        ]
        #expect(try pull().sorted() == expected)
        try a.link(boss, "teams", team, isAdded: false)
        #expect(try pull().sorted() == expected)
    }

    @Test func `a deletion is reported for the record and for its neighbours`() throws {
        try a.link(boss, "teams", team)
        _ = try pull()
        let gone = try there(boss)
        let row = try #require(try a.row("Employee", boss))
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(boss, row.version)])]
        _ = try a.save(request)
        let expected = [
            "Employee \(gone) deleted", "Person \(try there(anna)) updated boss",
            "Team \(try there(team)) updated members",
        ]
        #expect(try pull().sorted() == expected)
    }

    @Test func `a record inserted and deleted within one page is not reported`() throws {
        _ = try pull()
        let short = try a.insertPerson("Short")
        try a.set("age", .integer(1), of: short)
        try a.delete(short)
        #expect(try pull() == [])
    }

    @Test func `never name a record that is not there`() throws {
        let gone = try a.insertPerson("Gone")
        try a.delete(gone)
        // A reference to a deleted record keeps its value and shows nil.
        _ = try a.insert("Person", ["name": .string("X"), "boss": .integer(gone)])
        _ = try pull()
        let x = try a.insert("Person", ["name": .string("Y"), "boss": .integer(gone)])
        #expect(try pull() == ["Person \(try there(x)) inserted"])
    }
}
