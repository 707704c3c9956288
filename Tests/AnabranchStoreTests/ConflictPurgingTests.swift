import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Choosing and purging conflicts` {
    let scenario: StoreScenario
    let a: Store
    let b: Store
    let anna: LocalID
    let bob: LocalID
    let team: LocalID

    init() throws {
        scenario = try StoreScenario()
        a = try scenario.open("a")
        b = try scenario.open("b")
        anna = try a.insertPerson("Anna", age: 1)
        bob = try a.insertPerson("Bob", age: 1)
        team = try a.insert("Team", ["title": .string("T")])
        for store in [a, b] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 1000
    }

    /// Both stores write an age concurrently; the write of store a loses.
    @discardableResult
    private func collide(_ lost: Int64, of id: LocalID, in a: Store? = nil) throws -> ChangedRecords
    {
        let a = a ?? self.a
        try a.set("age", .integer(lost), of: id)
        scenario.clock.milliseconds += 1
        try b.set("age", .integer(lost + 1000), of: b.id(of: id, on: self.a))
        try scenario.zone.push(from: b)
        let changed = try scenario.zone.pull(into: a)
        for store in [a, b] { try scenario.zone.sync(store) }
        return changed
    }

    @Test func `numbers rise and are not given again once their entries are purged`() throws {
        for lost in 1...2 { try collide(Int64(10 * lost), of: anna) }
        let first = try a.conflicts().map(\.id)
        #expect(first.count == 2 && first[0] > first[1])
        #expect(try a.purgeConflicts(.all) == 2)
        #expect(try a.conflictCount() == 0)
        try collide(50, of: anna)
        #expect(try #require(try a.conflicts().first).id > first[0])
    }

    @Test func `the winning value is reported on both sides, and none if a delete won`() throws {
        try collide(10, of: anna)
        for store in [a, b] {
            let conflict = try #require(try store.conflicts().first)
            #expect(conflict.value == .integer(10))
            #expect(conflict.winningValue == .integer(1010))
        }
        try a.delete(bob)
        try b.set("age", .integer(9), of: b.id(of: bob, on: a))
        for store in [a, b, a] { try scenario.zone.sync(store) }
        for store in [a, b] { #expect(try store.conflicts(limit: 1)[0].winningValue == nil) }
    }

    @Test func `a record's conflicts are found, and a discarded link from both of its ends`() throws
    {
        try collide(10, of: anna)
        try collide(20, of: bob)
        try a.delete(anna)
        try b.link(b.id(of: anna, on: a), "teams", b.id(of: team, on: a))
        for store in [a, b, a] { try scenario.zone.sync(store) }
        let annas = try a.conflicts(.record(try #require(try a.recordID(of: anna))))
        #expect(annas.map(\.kind) == [.linkToDeleted, .concurrentWrite])
        let teams = try a.conflicts(.record(try #require(try a.recordID(of: team))))
        #expect(teams.map(\.id) == [annas[0].id])
        let bobs = ConflictSelection.record(try #require(try a.recordID(of: bob)))
        #expect(try a.conflicts(bobs).map(\.value) == [.integer(20)])
        let stranger = RecordID(replica: ReplicaID(high: 1, low: 1), number: 1)
        #expect(try a.conflicts(.record(stranger)).isEmpty)
        #expect(try a.purgeConflicts(bobs) == 1)
        #expect(try a.conflicts().map(\.id) == annas.map(\.id))
    }

    @Test func `selections by number, entity and both`() throws {
        for lost in 1...3 { try collide(Int64(lost), of: lost == 2 ? bob : anna) }
        let ids = try a.conflicts().map(\.id)
        #expect(try a.conflicts(.number(ids[1])).map(\.value) == [.integer(2)])
        #expect(try a.conflicts(.numbers([ids[0], ids[2]])).map(\.id) == [ids[0], ids[2]])
        #expect(try a.conflicts(.after(ids[1])).map(\.id) == [ids[0]])
        #expect(try a.conflictCount(.entities(wireNames: ["Person"])) == 3)
        #expect(try a.conflictCount(.entities(wireNames: ["Team"])) == 0)
        #expect(try a.conflictCount(.entities(wireNames: [])) == 0)
        let annas = ConflictSelection.record(try #require(try a.recordID(of: anna)))
        #expect(try a.conflicts(annas.intersection(.after(ids[2]))).map(\.id) == [ids[0]])
        #expect(try a.conflicts(annas, limit: 1).map(\.id) == [ids[0]])
        #expect(try a.conflictCount(annas) == 2)
    }

    @Test func `conflicts older than an age are purged, or all but the newest`() throws {
        for lost in 1...4 {
            try collide(Int64(lost), of: anna)
            scenario.clock.milliseconds += 60_000
        }
        #expect(try a.purgeConflicts(.olderThan(.seconds(3600))) == 0)
        #expect(try a.purgeConflicts(.olderThan(.seconds(200))) == 1)
        #expect(try a.conflicts().map(\.value) == [.integer(4), .integer(3), .integer(2)])
        #expect(try a.purgeConflicts(.allButNewest(3)) == 0)
        #expect(try a.purgeConflicts(.allButNewest(1)) == 2)
        #expect(try a.conflicts().map(\.value) == [.integer(4)])
        #expect(try a.purgeConflicts(.olderThan(.seconds(Int64.max))) == 0)
        #expect(try a.purgeConflicts(.olderThan(.seconds(-3600))) == 1)
    }

    @Test func `purging changes neither state nor log nor another replica's journal`() throws {
        try collide(10, of: anna)
        let hash = try a.canonicalHash()
        let last = try a.syncState().last?.sequence
        #expect(try a.purgeConflicts(.all) == 1)
        #expect(try a.canonicalHash() == hash)
        #expect(try a.syncState().last?.sequence == last)
        #expect(try b.conflictCount() == 1)
    }

    @Test func `a page reports what it recorded, even if it changed nothing`() throws {
        let changed = try collide(10, of: anna)
        #expect(changed.conflicts.map(\.record) == [anna])
        #expect(changed.conflicts.map(\.entity) == [scenario.person])
        #expect(try changed.conflicts.map(\.id) == a.conflicts().map(\.id))
        try a.set("age", .integer(5), of: anna)
        scenario.clock.milliseconds += 1
        try b.set("age", .integer(6), of: b.id(of: anna, on: a))
        try scenario.zone.push(from: a)
        let lost = try scenario.zone.pull(into: b)
        #expect(lost.isEmpty && lost.conflicts.count == 1)
        try scenario.zone.sync(b)
        #expect(try scenario.zone.pull(into: b).conflicts.isEmpty)
    }

    @Test(arguments: [1, 15, 16, 17, 40])
    func `a page reports everything that it recorded, in its order`(count: Int) throws {
        let people = try (0..<count).map { try a.insertPerson("Person \($0)", age: 0) }
        for store in [a, b] { try scenario.zone.sync(store) }
        scenario.clock.milliseconds += 1
        for (number, id) in people.enumerated() {
            try b.set("age", .integer(Int64(100 + number)), of: b.id(of: id, on: a))
        }
        scenario.clock.milliseconds += 1
        for (number, id) in people.enumerated() {
            try a.set("age", .integer(Int64(200 + number)), of: id)
        }
        try scenario.zone.push(from: b)
        let recorded = try scenario.zone.pull(into: a).conflicts
        let journal = try a.conflicts().reversed()
        #expect(recorded.map(\.record) == people)
        #expect(recorded.map(\.id) == journal.map(\.id))
        #expect(journal.map(\.value) == people.indices.map { .integer(Int64(100 + $0)) })
        #expect(
            journal.map(\.winningValue) == people.indices.map { .integer(Int64(200 + $0)) })
    }

    private func reopened(_ retention: ConflictRetention) throws -> Store {
        a.close()
        var options = StoreOptions()
        options.conflictRetention = retention
        return try scenario.open("a", options: options)
    }

    @Test func `a retention by age is applied by each page, and only with one`() throws {
        try collide(10, of: anna)
        let kept = try reopened(ConflictRetention(age: .seconds(60)))
        scenario.clock.milliseconds += 59_000
        try b.insertPerson("Cyd")
        for store in [b, kept] { try scenario.zone.sync(store) }
        #expect(try kept.conflictCount() == 1)
        scenario.clock.milliseconds += 2000
        #expect(try kept.conflictCount() == 1)
        try b.insertPerson("Dan")
        for store in [b, kept] { try scenario.zone.sync(store) }
        #expect(try kept.conflictCount() == 0)
        #expect(try b.conflictCount() == 1)
    }

    @Test func `a retention by age outlives clocks that jump`() throws {
        let start = scenario.clock.milliseconds
        for (lost, seconds) in [(1, 0), (2, 3_000_000), (3, 20), (4, 40)] {
            scenario.clock.milliseconds = start + Int64(seconds) * 1000
            try collide(Int64(lost), of: anna)
        }
        let kept = try reopened(ConflictRetention(age: .seconds(60)))
        // While the clock is behind the stamps that both have seen, it is random which of two
        // writes loses.
        func count(at seconds: Int64) throws -> Int {
            scenario.clock.milliseconds = start + seconds * 1000
            try b.insertPerson("Another")
            for store in [b, kept] { try scenario.zone.sync(store) }
            return try kept.conflictCount()
        }
        #expect(try count(at: 50) == 4)
        #expect(try count(at: 70) == 3)
        // Entries from a time at which the clock was ahead are purged with the entries after them.
        #expect(try count(at: 90) == 1)
        // A clock that moves back, by little or to its start, makes no entry old.
        #expect(try count(at: 30) == 1)
        #expect(try count(at: -start / 1000) == 1)
        #expect(try count(at: 200) == 0)
    }

    @Test func `a retention by number keeps the newest conflicts and reports no older ones`() throws
    {
        for lost in 1...3 { try collide(Int64(lost), of: anna) }
        let kept = try reopened(ConflictRetention(count: 2))
        #expect(try kept.conflictCount() == 3)
        let changed = try collide(4, of: anna, in: kept)
        #expect(try kept.conflicts().map(\.value) == [.integer(4), .integer(3)])
        #expect(changed.conflicts.count == 1)
        kept.close()
        let empty = try reopened(ConflictRetention(count: 0))
        #expect(try collide(5, of: anna, in: empty).conflicts.isEmpty)
        #expect(try empty.conflictCount() == 0)
    }
}
