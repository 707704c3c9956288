import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Times beyond every clock` {
    let twins: ForkScenario
    let ahead = TestClock()

    init() throws {
        twins = try ForkScenario()
        ahead.milliseconds += 3_600_000
    }

    private var limit: HybridTimestamp {
        HybridTimestamp(wallMilliseconds: twins.scenario.clock.milliseconds + 300_000)
    }

    private func restamp(_ store: Store) throws {
        _ = try store.restamp(
            above: limit,
            clockOffsetMilliseconds: twins.scenario.clock.milliseconds - ahead.milliseconds)
    }

    @Test func `become the least that keep the order of the log`() throws {
        let a = try twins.open("a")
        let anna = try a.insertPerson("Anna")
        try twins.sync(a)
        let b = try twins.open("b", clock: ahead)
        try twins.sync(b)
        let there = try b.id(of: anna, on: a)
        for age in 1...3 { try b.set("age", .integer(Int64(age)), of: there) }
        let before = try b.pending(byteLimit: .max).map(\.changeSet)
        try restamp(b)
        let after = try b.pending(byteLimit: .max).map(\.changeSet)
        let first = twins.zone.log[0].timestamp.rawValue
        #expect(after.map(\.timestamp.rawValue) == [first + 1, first + 2, first + 3])
        #expect(after.map(\.origin) == before.map(\.origin), "one origin stays one save")
        #expect(after.map(\.dot) == before.map(\.dot))
        #expect(after.map(\.rewrittenFrom) == before.map { $0.dot })
        #expect(try b.value("age", of: there) == .integer(3))
        #expect(Set(try twins.converge([b, a])).count == 1)
        #expect(try a.value("age", of: anna) == .integer(3))
    }

    @Test func `do not beat what was written after them`() throws {
        let a = try twins.open("a")
        let anna = try a.insertPerson("Anna")
        try twins.sync(a)
        let b = try twins.open("b", clock: ahead)
        try twins.sync(b)
        try b.set("name", .string("of the future"), of: try b.id(of: anna, on: a))
        twins.scenario.clock.milliseconds += 1000
        try a.set("name", .string("of now"), of: anna)
        try twins.sync(a)
        try restamp(b)
        #expect(Set(try twins.converge([b, a])).count == 1)
        #expect(try a.value("name", of: anna) == .string("of now"))
        #expect(try b.value("name", of: try b.id(of: anna, on: a)) == .string("of now"))
    }

    /// A snapshot or a repair adds writes of change sets that the file's log lacks.
    @Test func `stay later than the writes that the file holds without their change set`() throws {
        let b = try twins.open("b", clock: ahead)
        ahead.milliseconds = twins.scenario.clock.milliseconds
        let anna = try b.insertPerson("Anna")
        try twins.sync(b)
        let a = try twins.open("a")
        try twins.zone.pull(into: a)
        twins.scenario.clock.milliseconds += 1000
        try a.set("age", .integer(3), of: a.id(of: anna, on: b))
        let seen = try #require(try a.pending(byteLimit: .max).first).changeSet
        var reference = try twins.zone.reference()
        try reference.apply(seen)
        let image = reference.image(of: try #require(try b.recordID(of: anna)))
        let place = CausalContext.Prefix(epoch: twins.zone.epoch, position: 1)
        _ = try b.repair([image], at: place)
        ahead.milliseconds += 3_600_000
        try b.set("age", .integer(4), of: anna)
        try restamp(b)
        let later = try #require(try b.pending(byteLimit: .max).last).changeSet
        #expect(later.timestamp > seen.timestamp)
    }

    @Test func `leave the clock where the server's is`() throws {
        let b = try twins.open("b", clock: ahead)
        try b.insertPerson("Anna")
        try restamp(b)
        try b.insertPerson("Bob")
        let stamps = try b.pending(byteLimit: .max).map(\.changeSet.timestamp)
        #expect(stamps[0] < stamps[1])
        #expect(stamps[1].wallMilliseconds == twins.scenario.clock.milliseconds)
    }

    @Test func `change nothing that is within the limit`() throws {
        let b = try twins.open("b")
        try b.insertPerson("Anna")
        let before = try b.pending(byteLimit: .max).map(\.changeSet)
        try restamp(b)
        #expect(try b.pending(byteLimit: .max).map(\.changeSet) == before)
        #expect(try !b.syncState().hasRecordsToRepair)
    }

    @Test func `follow into the tags that later sets have seen`() throws {
        let a = try twins.open("a")
        let anna = try a.insertPerson("Anna")
        let blue = try a.insert("Team", ["title": .string("Blue")])
        try twins.sync(a)
        let b = try twins.open("b", clock: ahead)
        try twins.sync(b)
        let (person, team) = (try b.id(of: anna, on: a), try b.id(of: blue, on: a))
        try b.link(person, "teams", team)
        try b.link(person, "teams", team, isAdded: false)
        try restamp(b)
        #expect(Set(try twins.converge([b, a])).count == 1)
        #expect(try a.related(anna, "teams") == [])
    }

    /// A file and its copy hold one save that both have to restamp, and they restamp it at
    /// different times.
    @Test func `are adopted in the log's form if another copy has pushed them`() throws {
        let a = try twins.open("a", clock: ahead)
        let anna = try a.insertPerson("Anna")
        let team = try a.insert("Team", ["title": .string("Blue")])
        try a.link(anna, "teams", team)
        let c = try twins.open("c")
        try c.insertPerson("Cyd")
        try twins.sync(c)
        let b = try twins.twin(of: "a", as: "b")
        try restamp(a)
        try twins.sync(b)
        try restamp(b)
        let forms = try [a, b].map { try $0.pending(byteLimit: .max).map(\.changeSet.digest) }
        #expect(forms[0].count == 3 && forms[0] != forms[1])
        try twins.sync(a)
        #expect(Set(try twins.converge([b, a, c])).count == 1)
        #expect(twins.zone.log.count == 4, "one save, in whatever form")
        #expect(try b.related(anna, "teams") == [team])
        try b.link(anna, "teams", team, isAdded: false)
        #expect(Set(try twins.converge([b, a, c])).count == 1)
        #expect(try a.related(anna, "teams") == [])
    }

    /// Two holders of a save have restamped it at different times, and one of them has saved more.
    @Test func `stay behind each other where the log has the first at a later time`() throws {
        let a = try twins.open("a", clock: ahead)
        let anna = try a.insertPerson("Anna")
        let b = try twins.twin(of: "a", as: "b")
        for age in 1...2 { try a.set("age", .integer(Int64(age)), of: anna) }
        try restamp(a)
        let low = try a.pending(byteLimit: .max).map(\.changeSet.timestamp.rawValue)
        #expect(low == [1, 2, 3])
        let c = try twins.open("c")
        try c.insertPerson("Cyd")
        for store in [c, b] { try twins.sync(store) }
        try restamp(b)
        try twins.sync(b)
        let given = try #require(twins.zone.log.last).timestamp.rawValue
        try twins.zone.pull(into: a)
        let raised = try a.pending(byteLimit: .max).map(\.changeSet)
        #expect(raised.map(\.timestamp.rawValue) == [given + 1, given + 2])
        #expect(raised.map(\.dot.sequence) == [2, 3])
        // Later writes have even later stamps.
        try a.set("age", .integer(3), of: anna)
        let last = try #require(try a.pending(byteLimit: .max).last).changeSet.timestamp
        #expect(last.rawValue > given + 2)
        #expect(Set(try twins.converge([a, b, c])).count == 1)
        #expect(try b.value("age", of: anna) == .integer(3))
    }

    /// A bundle's change set removes values by stamps that only its author's file still has.
    ///
    /// - Parameter isEarly: Whether it came before the restamp and waited for another change set.
    @Test(arguments: [true, false])
    func `make a bundle's set wait that names the old ones`(isEarly: Bool) throws {
        let scenario = twins.scenario
        let a = try twins.open("a", clock: ahead)
        let anna = try a.insertPerson("Anna")
        let team = try a.insert("Team", ["title": .string("Blue")])
        try a.link(anna, "teams", team)
        let (b, c, d) = (
            try twins.open("b", clock: ahead), try twins.open("c"), try twins.open("d")
        )
        try d.insertPerson("Dan")
        for store in [b, c] { try a.send(to: store, in: scenario) }
        try d.send(to: b, in: scenario)
        let base = BundleBase(try b.read { try $0.versionVector() })
        try b.link(
            try b.id(of: anna, on: a), "teams", try b.id(of: team, on: a), isAdded: false)
        if isEarly { try b.send(to: c, in: scenario, lacking: base) }
        try restamp(c)
        try d.send(to: c, in: scenario)
        if !isEarly { try b.send(to: c, in: scenario, lacking: base) }
        #expect(try c.waitingCount == 1)
        try twins.sync(c)
        try twins.zone.pull(into: b)
        try restamp(b)
        #expect(Set(try twins.converge([b, c, a, d])).count == 1)
        #expect(try c.waitingCount == 0)
        #expect(try a.related(anna, "teams") == [])
    }

    @Test(arguments: TestLength.seeds(40))
    func `converge whatever was done with them`(seed: UInt64) throws {
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
            try restamp(store)
            try twins.sync(store)
        }
        for store in stores {
            try twins.zone.pull(into: store)
            try restamp(store)
        }
        #expect(Set(try twins.converge(stores)).count == 1)
        for store in stores {
            #expect(try store.pendingSaves().count == 0)
            #expect(try !store.syncState().hasRecordsToRepair)
        }
    }
}
