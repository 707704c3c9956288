import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@Suite struct `The conflict journal` {
    let scenario: StoreScenario
    let a: Store
    let b: Store
    let anna: LocalID
    let team: LocalID

    init() throws {
        scenario = try StoreScenario()
        a = try scenario.open("a")
        b = try scenario.open("b")
        anna = try a.insertPerson("Anna", age: 1)
        team = try a.insert("Team", ["title": .string("T")])
        for store in [a, b] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 1000
    }

    private var annaOnB: LocalID { get throws { try b.id(of: anna, on: a) } }
    private var teamOnB: LocalID { get throws { try b.id(of: team, on: a) } }

    private func exchange() throws {
        for store in [a, b, a] { try scenario.zone.sync(store) }
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    @Test func `is empty after writes that had seen each other`() throws {
        try a.set("age", .integer(2), of: anna)
        try exchange()
        try b.set("age", .integer(3), of: annaOnB)
        try exchange()
        try a.set("age", .integer(4), of: anna)
        try a.delete(anna)
        try exchange()
        #expect(try a.conflicts().isEmpty)
        #expect(try b.conflicts().isEmpty)
    }

    /// One page brings the overwriting change set and the zone's position of the store's own one.
    @Test func `has no value that was seen where the zone's answer to its push was lost`() throws {
        try b.set("age", .integer(5), of: annaOnB)
        scenario.clock.milliseconds += 1
        try a.set("age", .integer(6), of: anna)
        try scenario.copy("a", to: "unanswered")
        for store in [b, a, b] { try scenario.zone.sync(store) }
        try b.set("age", .integer(7), of: annaOnB)
        let unanswered = try scenario.open("unanswered")
        for store in [b, a, unanswered] { try scenario.zone.sync(store) }
        for store in [a, unanswered] {
            #expect(try store.conflicts().map(\.value) == [.integer(5)])
        }
    }

    @Test func `is empty when both wrote the same`() throws {
        try a.set("age", .integer(2), of: anna)
        try b.set("age", .integer(2), of: annaOnB)
        try exchange()
        #expect(try a.conflicts().isEmpty)
        #expect(try b.conflicts().isEmpty)
    }

    @Test func `names the reference that lost as a record`() throws {
        let boss = try a.insertPerson("Boss")
        let other = try b.insertPerson("Other")
        try a.set("boss", .integer(boss), of: anna)
        scenario.clock.milliseconds += 1
        try b.set("boss", .integer(other), of: annaOnB)
        try exchange()
        let record = try #require(try a.recordID(of: boss))
        for store in [a, b] {
            #expect(try store.conflicts().map(\.value) == [.reference(record)])
        }
    }

    @Test func `reports record, property, authors and time of each conflict`() throws {
        try a.set("age", .integer(2), of: anna, author: "alice")
        scenario.clock.milliseconds += 1
        try b.set("age", .integer(3), of: annaOnB, author: "bob")
        try exchange()
        for store in [a, b] {
            let conflict = try #require(try store.conflicts().first)
            #expect(conflict.kind == .concurrentWrite)
            #expect(conflict.record == (try a.recordID(of: anna)))
            #expect(conflict.entity == "Person")
            #expect(conflict.property == WireProperty(name: "age", type: .integer64))
            #expect(conflict.lost.author == "alice")
            #expect(conflict.lost.stamp.replica == (try a.replica))
            #expect(conflict.winner?.author == "bob")
            #expect(conflict.winner?.stamp.replica == (try b.replica))
            #expect(conflict.noticedMilliseconds == scenario.clock.milliseconds)
        }
    }

    @Test func `has what was written to a record that another deleted`() throws {
        try a.delete(anna)
        try b.set("age", .integer(9), of: annaOnB)
        try exchange()
        #expect(try a.conflicts().map(\.value) == [.integer(9)])
        #expect(try a.conflicts().map(\.kind) == [.writeToDeleted])
        let lost = try b.conflicts().filter { $0.kind == .deletedWhileWritten }
        #expect(lost.map(\.value) == [.integer(9)])
    }

    @Test func `has the whole record that another deleted without having seen a write`() throws {
        try a.delete(anna)
        try b.set("age", .integer(9), of: annaOnB, author: "Bob")
        try exchange()
        let others = try b.conflicts().filter { $0.kind == .deletedWithRecord }
        let name = try #require(others.first { $0.property.name == "name" })
        #expect(name.value == .string("Anna"))
        #expect(name.lost.stamp.replica == (try a.replica) && name.winningValue == nil)
        #expect(!others.contains { $0.property.name == "age" })
    }

    @Test func `has a link to a record that another deleted, on both sides`() throws {
        try a.delete(anna)
        try b.link(annaOnB, "teams", teamOnB)
        try exchange()
        #expect(try a.conflicts().map(\.kind) == [.linkToDeleted])
        let right = try #require(try a.recordID(of: team))
        for store in [a, b] {
            let links = try store.conflicts().filter { $0.kind == .linkToDeleted }
            #expect(links.map(\.value) == [.reference(right)])
        }
    }

    @Test func `reports no link as lost that the deleter had seen`() throws {
        try b.link(annaOnB, "teams", teamOnB)
        try exchange()
        try a.delete(anna)
        try exchange()
        #expect(try a.conflicts().isEmpty)
        #expect(try b.conflicts().isEmpty)
    }

    @Test func `gives the newest first, as many as are asked for`() throws {
        for turn in 0..<3 {
            try a.set("age", .integer(Int64(10 + turn)), of: anna)
            scenario.clock.milliseconds += 1
            try b.set("age", .integer(Int64(20 + turn)), of: annaOnB)
            try exchange()
        }
        #expect(try a.conflicts(limit: 2).map(\.value) == [.integer(12), .integer(11)])
    }
}
