import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Two histories under one name` {
    let twins: ForkScenario

    init() throws { twins = try ForkScenario() }

    private func forked() throws -> (a: Store, b: Store, anna: LocalID) {
        let a = try twins.open("a")
        let anna = try a.insertPerson("Anna")
        try twins.sync(a)
        let b = try twins.twin(of: "a", as: "b")
        return (a, b, anna)
    }

    @Test func `continue under two, and nothing of either is lost or doubled`() throws {
        let (a, b, anna) = try forked()
        let replica = try a.replica
        try a.set("name", .string("Anne"), of: anna)
        let bob = try a.insertPerson("Bob", boss: anna)
        scenarioTick()
        try b.set("age", .integer(7), of: anna)
        let cyd = try b.insertPerson("Cyd", boss: anna)
        #expect(bob == cyd, "both gave out one number")
        try twins.sync(a)
        let forkedOrigin = try #require(try b.pending(byteLimit: .max).first?.changeSet.origin)
        let hashes = try twins.converge([b, a])
        #expect(Set(hashes).count == 1)
        for name in ["a", "b"] {
            let rows = try twins.scenario.sql(
                name, "SELECT name, age FROM Person ORDER BY name")
            #expect(
                rows == [
                    [.text("Anne"), .integer(7)], [.text("Bob"), .integer(0)],
                    [.text("Cyd"), .integer(0)],
                ])
        }
        let branch = ReplicaID(
            ofForkAt: Dot(replica: replica, sequence: 2), origin: forkedOrigin)
        let renamed = twins.zone.log.filter { $0.dot.replica == branch }
        #expect(renamed.map(\.dot.sequence) == [1, 2])
        #expect(renamed.map(\.rewrittenFrom) == [2, 3].map { Dot(replica: replica, sequence: $0) })
        #expect(renamed.first?.origin == forkedOrigin, "one origin stays one save")
        #expect(try b.replica == replica, "an identity is taken when it is needed")
        try b.insertPerson("Dan")
        #expect(try b.replica != replica)
        #expect(Set(try twins.converge([a, b])).count == 1)
    }

    @Test func `report the new names with the old ones to their contexts`() throws {
        let (a, b, anna) = try forked()
        try a.insertPerson("Bob")
        let cyd = try b.insertPerson("Cyd", boss: anna)
        let dan = try b.insertPerson("Dan", boss: cyd)
        try twins.sync(a)
        let changed = try twins.zone.pull(into: b)
        #expect(Set(changed.renamed.keys) == [cyd, dan])
        let newCyd = try #require(changed.renamed[cyd])
        let newDan = try #require(changed.renamed[dan])
        #expect(try b.value("name", of: newCyd) == .string("Cyd"))
        #expect(try b.value("boss", of: newDan) == .integer(newCyd))
        #expect(try b.value("name", of: cyd) == .string("Bob"), "the log's record has the name now")
        let people = try #require(changed.entities.first { $0.entity.name == "Person" })
        #expect(Set(people.inserted) == [newCyd, newDan])
        #expect(people.deleted == [dan])
        #expect(people.updatedIDs.contains(cyd))
    }

    @Test func `update the references to renamed records`() throws {
        let (a, b, anna) = try forked()
        let team = try b.insert("Team", ["title": .string("Blue")])
        try b.link(anna, "teams", team)
        let cyd = try b.insertPerson("Cyd")
        try b.set("boss", .integer(cyd), of: anna)
        try b.link(cyd, "teams", team)
        try b.link(cyd, "teams", team, isAdded: false)
        try a.insertPerson("Bob")
        try a.insertPerson("Eve")
        try twins.sync(a)
        let changed = try twins.zone.pull(into: b)
        let newCyd = try #require(changed.renamed[cyd])
        let newTeam = try #require(changed.renamed[team])
        #expect(try b.value("boss", of: anna) == .integer(newCyd))
        #expect(try b.related(anna, "teams") == [newTeam])
        #expect(try b.related(newCyd, "teams") == [])
        #expect(Set(try twins.converge([b, a])).count == 1)
        #expect(try b.related(anna, "teams") == [newTeam])
    }

    @Test func `take the conflict journal along, and the references in it`() throws {
        let (a, b, anna) = try forked()
        let c = try twins.open("c")
        try twins.sync(c)
        let cyd = try b.insertPerson("Cyd")
        try b.set("boss", .integer(cyd), of: anna)
        scenarioTick()
        let boss = try c.insertPerson("Boss")
        try c.set("boss", .integer(boss), of: c.id(of: anna, on: a))
        try twins.sync(c)
        try twins.zone.pull(into: b)
        let before = try #require(try b.recordID(of: cyd))
        #expect(try b.conflicts().map(\.value) == [.reference(before)])
        try twins.sync(a)
        try a.insertPerson("Bob")
        try twins.sync(a)
        let changed = try twins.zone.pull(into: b)
        let renamed = try #require(changed.renamed[cyd])
        let after = try #require(try b.recordID(of: renamed))
        #expect(try b.conflicts().map(\.value).contains(.reference(after)))
        #expect(try !b.conflicts().map(\.value).contains(.reference(before)))
        let led = try b.conflicts(.record(after)).map(\.kind)
        #expect(led.isEmpty, "only links count for the other end")
    }

    @Test func `three copies of a store that all save become three branches`() throws {
        let (a, b, anna) = try forked()
        let c = try twins.twin(of: "a", as: "c")
        for (store, name) in [(a, "A"), (b, "B"), (c, "C")] {
            try store.insertPerson(name, boss: anna)
            try store.insertPerson(name + name)
        }
        #expect(Set(try twins.converge([a, b, c])).count == 1)
        let names = try twins.scenario.sql("c", "SELECT name FROM Person ORDER BY name")
        #expect(names.map { $0[0] } == ["A", "AA", "Anna", "B", "BB", "C", "CC"].map { .text($0) })
        #expect(Set(twins.zone.log.map(\.dot.replica)).count == 3)
    }

    @Test func `saves that two copies hold are renamed alike and come once`() throws {
        let (a, b, _) = try forked()
        try b.insertPerson("Cyd")
        let c = try twins.twin(of: "b", as: "c")
        try a.insertPerson("Bob")
        #expect(Set(try twins.converge([a, b, c])).count == 1)
        #expect(twins.zone.log.count == 3)
        #expect(try c.identifiers("Person").count == 3)
    }

    @Test(arguments: TestLength.seeds(40))
    func `converge whatever was done under them`(seed: UInt64) throws {
        var edits = RandomEdits(seed: seed)
        let a = try twins.open("a")
        let d = try twins.open("d")
        for store in [a, d] { for _ in 0..<8 { try edits.edit(store) } }
        for _ in 0..<2 { for store in [a, d] { try twins.sync(store) } }
        var stores = [a, d]
        for name in ["b", "c"] {
            if edits.generator.oneIn(2) { try edits.edit(a) }
            stores.append(try twins.twin(of: "a", as: name))
        }
        for _ in 0..<40 {
            scenarioTick(Int64.random(in: 0...2, using: &edits.generator))
            guard let store = stores.randomElement(using: &edits.generator) else { continue }
            try edits.edit(store)
            if edits.generator.oneIn(9) { try twins.sync(store) }
        }
        let hashes = try twins.converge(stores)
        #expect(Set(hashes).count == 1)
        for store in stores {
            #expect(try store.pendingSaves().count == 0)
            #expect(try !store.syncState().hasRecordsToRepair)
        }
        #expect(Set(twins.zone.log.map(\.origin)).count == twins.zone.log.count)
    }

    private func scenarioTick(_ milliseconds: Int64 = 10) {
        twins.scenario.clock.milliseconds += milliseconds
    }
}
