import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of the conflict journal after change sets get other dots and times.
@Suite struct `The conflict journal behind a rewriting` {
    private func twins(_ model: ManagedObjectModel? = nil) throws -> ForkScenario {
        try ForkScenario(model)
    }

    private func restamp(_ store: Store, _ twins: ForkScenario, ahead: TestClock) throws {
        let now = twins.scenario.clock.milliseconds
        _ = try store.restamp(
            above: HybridTimestamp(wallMilliseconds: now + 300_000),
            clockOffsetMilliseconds: now - ahead.milliseconds)
    }

    private func future() -> TestClock {
        let clock = TestClock()
        clock.milliseconds += 3_600_000
        return clock
    }

    /// Returns two stores of one Anna; the clock of the second is an hour ahead.
    private func annas(
        _ twins: ForkScenario, ahead: TestClock
    ) throws -> (a: Store, b: Store, anna: LocalID, there: LocalID) {
        let a = try twins.open("a")
        let anna = try a.insertPerson("Anna")
        try twins.sync(a)
        let b = try twins.open("b", clock: ahead)
        try twins.sync(b)
        return (a, b, anna, try b.id(of: anna, on: a))
    }

    @Test func `a value that lost by its earlier time is in it, and what won is not`() throws {
        let (twins, ahead) = (try twins(), future())
        let (a, b, anna, there) = try annas(twins, ahead: ahead)
        try b.set("name", .string("of the future"), of: there, author: "bob")
        twins.scenario.clock.milliseconds += 1000
        try a.set("name", .string("of now"), of: anna, author: "ada")
        try twins.sync(a)
        try twins.zone.pull(into: b)
        #expect(try b.conflicts().map(\.value) == [.string("of now")], "so it was until then")
        try restamp(b, twins, ahead: ahead)
        #expect(Set(try twins.converge([b, a])).count == 1)
        for store in [a, b] {
            let conflict = try #require(try store.conflicts().first)
            #expect(try store.conflictCount() == 1)
            #expect(conflict.kind == .concurrentWrite && conflict.value == "of the future")
            #expect(conflict.winningValue == "of now" && conflict.winner?.author == "ada")
            #expect(conflict.lost.author == "bob")
            #expect(conflict.lost.stamp == twins.zone.log.last?.stamp)
        }
    }

    @Test func `a conflict noted before is not noted again, and has the new time`() throws {
        let (twins, ahead) = (try twins(), future())
        let (a, b, anna, there) = try annas(twins, ahead: ahead)
        try b.set("age", .integer(7), of: there)
        try a.delete(anna)
        try twins.sync(a)
        try twins.zone.pull(into: b)
        let all = try b.conflicts()
        let noticed = try #require(all.first { $0.kind == .deletedWhileWritten })
        try restamp(b, twins, ahead: ahead)
        #expect(Set(try twins.converge([b, a])).count == 1)
        let conflict = try #require(try b.conflicts().first { $0.id == noticed.id })
        #expect(try b.conflicts().map(\.id) == all.map(\.id))
        #expect(conflict.kind == noticed.kind && conflict.value == .integer(7))
        #expect(conflict.lost.stamp < noticed.lost.stamp)
        #expect(conflict.lost.stamp == twins.zone.log.last?.stamp)
    }

    @Test func `a purged conflict stays purged if nothing about it has changed`() throws {
        let (twins, ahead) = (try twins(), future())
        let (a, b, anna, there) = try annas(twins, ahead: twins.scenario.clock)
        try b.set("age", .integer(7), of: there)
        twins.scenario.clock.milliseconds += 1000
        try a.set("age", .integer(8), of: anna)
        for store in [a, b] { try twins.sync(store) }
        #expect(try b.purgeConflicts(.all) == 1)
        b.close()
        let c = try twins.open("b", clock: ahead)
        try c.set("name", .string("of the future"), of: there)
        try restamp(c, twins, ahead: ahead)
        #expect(try c.syncState().hasRecordsToRepair)
        #expect(Set(try twins.converge([c, a])).count == 1)
        #expect(try c.conflicts().isEmpty)
    }

    @Test func `a link that was lost while its tag had another time is in it`() throws {
        let (twins, ahead) = (try twins(), future())
        let (a, b, anna, there) = try annas(twins, ahead: ahead)
        let team = try b.insert("Team", ["title": .string("T")])
        try b.link(there, "teams", team)
        try a.delete(anna)
        try twins.sync(a)
        try restamp(b, twins, ahead: ahead)
        #expect(Set(try twins.converge([b, a])).count == 1)
        let right = try #require(try b.recordID(of: team))
        for store in [a, b] {
            let links = try store.conflicts().filter { $0.kind == .linkToDeleted }
            #expect(links.map(\.value) == [.reference(right)])
        }
    }

    @Test func `a reference into a list has the new name, too`() throws {
        let twins = try twins(try `Saving lists`.model())
        let a = try twins.open("a")
        let first = try a.insert("List", ["name": "first"])
        let item = try a.insert("Item", ["name": "item", "list": .integer(first)])
        try twins.sync(a)
        let c = try twins.open("c")
        try twins.sync(c)
        let b = try twins.twin(of: "a", as: "b")
        let mine = try b.insert("List", ["name": "mine"])
        _ = try b.update("Item", item, ["list": .integer(mine)])
        twins.scenario.clock.milliseconds += 10
        let theirs = try c.insert("List", ["name": "theirs"])
        _ = try c.update("Item", c.id(of: item, on: a), ["list": .integer(theirs)])
        try twins.sync(c)
        try twins.zone.pull(into: b)
        let before = try #require(try b.recordID(of: mine))
        #expect(try b.conflicts().map { ListEntry.target(of: $0.value) } == [before])
        try twins.sync(a)
        try a.insert("List", ["name": "other"])
        try twins.sync(a)
        let changed = try twins.zone.pull(into: b)
        let after = try b.recordID(of: try #require(changed.renamed[mine]))
        #expect(try b.conflicts().map { ListEntry.target(of: $0.value) } == [after])
        #expect(Set(try twins.converge([b, a, c])).count == 1)
        for store in [a, b, c] {
            #expect(try store.conflicts().map { ListEntry.target(of: $0.value) } == [after])
        }
    }

    /// Restamping changes the order of two concurrent writes after a third has replaced both.
    @Test(arguments: [true, false])
    func `a value that has lost by its new time is in it if its replacement is rejected`(
        isHeldByZone: Bool
    ) throws {
        let (twins, ahead) = (try twins(), isHeldByZone ? TestClock() : future())
        let (b, c) = (try twins.open("b", clock: ahead), try twins.open("c", clock: ahead))
        let anna = try b.insertPerson("Anna")
        if isHeldByZone {
            for store in [b, c] { try twins.sync(store) }
            ahead.milliseconds = future().milliseconds
        } else {
            try b.send(to: c, in: twins.scenario)
        }
        try c.set("name", "of c", of: c.id(of: anna, on: b))
        ahead.milliseconds += 1000
        try b.set("name", "of b", of: anna)
        try c.send(to: b, in: twins.scenario)
        #expect(try b.conflicts().map(\.value) == ["of c"], "so it was until then")
        ahead.milliseconds += 1000
        try b.set("name", "of both", of: anna)
        try restamp(b, twins, ahead: ahead)
        #expect(try b.value("name", of: anna) == "of both")

        let pending = try b.pending(byteLimit: .max).map(\.changeSet)
        for set in pending.dropLast() { twins.zone.append(set) }
        let last = try #require(pending.last)
        twins.zone.append(ChangeSet(voiding: last, for: SaveRejection(.malformed, "refused")))
        let d = try twins.open("d")
        #expect(Set(try twins.converge([b, c, d])).count == 1)
        for store in [b, c, d] {
            #expect(try store.value("name", of: store.id(of: anna, on: b)) == "of c")
            #expect(try store.conflicts().map(\.value) == ["of b"], "\(store.path)")
        }
    }

    /// No journal ever reports a visible value as lost.
    @Test(arguments: TestLength.seeds(30))
    func `has no visible value and no value twice`(seed: UInt64) throws {
        let (twins, ahead) = (try twins(), future())
        var edits = RandomEdits(seed: seed)
        let a = try twins.open("a")
        let b = try twins.open("b", clock: ahead)
        var stores = [a, b]
        for _ in 0..<8 { try edits.edit(a) }
        for store in stores { try twins.sync(store) }
        for turn in 0..<40 {
            twins.scenario.clock.milliseconds += Int64.random(in: 0...2, using: &edits.generator)
            guard let store = stores.randomElement(using: &edits.generator) else { continue }
            try edits.edit(store)
            if turn == 20 { stores.append(try twins.twin(of: "b", as: "c")) }
            guard edits.generator.oneIn(9) else { continue }
            try twins.zone.pull(into: store)
            try restamp(store, twins, ahead: ahead)
            try twins.sync(store)
        }
        for store in stores {
            try twins.zone.pull(into: store)
            try restamp(store, twins, ahead: ahead)
        }
        #expect(Set(try twins.converge(stores)).count == 1)
        for store in stores { try expectSound(store) }
    }

    @Test func `a save that the zone has acknowledged still says what its author had seen`() throws
    {
        let twins = try twins()
        let a = try twins.open("a")
        let anna = try a.insertPerson("Anna")
        try twins.sync(a)
        let b = try twins.twin(of: "a", as: "b")
        try a.insertPerson("Bob")
        try twins.sync(a)
        twins.scenario.clock.milliseconds += 1000
        // Saved under the name that a's second save has in the zone, and then seen.
        try b.set("age", .integer(7), of: anna)
        try b.renewIdentity()
        try b.set("age", .integer(8), of: anna)
        let c = try twins.twin(of: "b", as: "c")
        try twins.sync(b)
        // The zone acknowledges the saves of the copy under the names that its log has.
        let log = twins.zone.log
        let acknowledged = try c.pending(byteLimit: .max).map { entry in
            let index = try #require(log.firstIndex { $0.origin == entry.changeSet.origin })
            let set = log[index]
            return Acknowledged(
                entry, position: UInt64(index + 1), dot: set.dot, timestamp: set.timestamp,
                digest: set.digest)
        }
        #expect(acknowledged.map(\.dot) == log.suffix(2).map(\.dot))
        try c.acknowledge(acknowledged, epoch: twins.zone.epoch)
        try twins.sync(c)
        for store in [a, b, c] {
            try twins.sync(store)
            let values = try store.conflicts().map(\.value)
            #expect(values == [], "\(store.path)")
        }
        #expect(Set(try twins.converge([a, b, c])).count == 1)
    }

    private func expectSound(_ store: Store) throws {
        var records: [RecordID: CanonicalRecord] = [:]
        try store.read { try $0.canonicalRecords { records[$0.id] = $0 } }
        var noted: Set<String> = []
        for conflict in try store.conflicts() {
            let record = records[conflict.record]
            let name = "\(conflict.record) \(conflict.property) \(conflict.lost.stamp)"
            if case .reference(let right) = conflict.value, conflict.kind == .linkToDeleted {
                #expect(record == nil || records[right] == nil, "\(name)")
                #expect(noted.insert("\(name) \(right)").inserted)
            } else {
                let isShown = record?.cells.contains {
                    $0.property == conflict.property && $0.stamp == conflict.lost.stamp
                }
                #expect(isShown != true, "\(name)")
                #expect(noted.insert(name).inserted, "\(name)")
            }
        }
    }
}
