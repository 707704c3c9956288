import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Days by which a device's clock is ahead.
private let lead: [Int64] = [8, 400, 36_000, 40_000, 1_600_000]

@Suite struct `Bundles of a clock that is ahead` {
    let scenario: StoreScenario
    let ahead = TestClock()

    init() throws { scenario = try StoreScenario() }

    private func open(_ name: String, _ clock: TestClock) throws -> Store {
        var environment = StoreEnvironment.system
        environment.wallMilliseconds = { clock.milliseconds }
        return try Store.open(
            at: scenario.path(name), model: scenario.model, environment: environment)
    }

    private func setAhead(days: Int64) {
        ahead.milliseconds = scenario.clock.milliseconds + days * 86_400_000
    }

    private func lastTime(_ store: Store) throws -> Int64 {
        try #require(try store.pending(byteLimit: .max).last).changeSet.timestamp.wallMilliseconds
    }

    @Test(arguments: lead)
    func `are refused, and nothing is changed`(days: Int64) throws {
        setAhead(days: days)
        let a = try open("a", ahead)
        try a.insertPerson("Anna")
        let b = try scenario.open("b")
        try b.insertPerson("Bob")
        let hash = try b.canonicalHash()
        let bundle = try scenario.bundle(a, as: "a.bundle")
        let error = try #require(storeError { try b.take(bundle) })
        #expect(error.code == .clockSkew)
        #expect(error.message.contains("\(days) days ahead of the clock. If this device's clock"))
        #expect(try b.canonicalHash() == hash)
        #expect(try b.waitingCount == 0)
        try b.insertPerson("Cyd")
        #expect(try lastTime(b) == scenario.clock.milliseconds)
    }

    /// Devices whose clocks no server corrects differ by hours and still exchange bundles.
    @Test(arguments: [1, 24, 25, 167] as [Int64])
    func `are accepted if clocks differ by hours`(hours: Int64) throws {
        ahead.milliseconds += hours * 3_600_000
        let a = try open("a", ahead)
        try a.insertPerson("Anna")
        let b = try scenario.open("b")
        #expect(try a.send(to: b, in: scenario).appliedCount == 1)
        try b.insertPerson("Bob")
        #expect(try lastTime(b) == ahead.milliseconds)
        try b.send(to: a, in: scenario)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    /// A device without a battery for its clock takes its time from the change sets that it
    /// receives.
    @Test func `are accepted if they continue from what the store holds`() throws {
        setAhead(days: 20_000)
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let b = try open("b", ahead)
        try a.send(to: b, in: scenario)
        let base = BundleBase(try b.read { try $0.versionVector() })
        ahead.milliseconds = 0
        scenario.clock.milliseconds += 900
        try a.insertPerson("Bob")
        #expect(try a.send(to: b, in: scenario, lacking: base).appliedCount == 1)
    }

    @Test(arguments: lead)
    func `are accepted if the store holds all their change sets already`(days: Int64) throws {
        setAhead(days: days)
        let a = try open("a", ahead)
        try a.insertPerson("Anna")
        let b = try open("b", scenario.clock)
        let bundle = try scenario.bundle(a, as: "a.bundle")
        try Mechanism.without([.bundleClockLimit]) { try b.take(bundle) }
        b.close()
        let again = try scenario.open("b")
        #expect(try again.take(bundle).heldCount == 1)
    }

    @Test(arguments: lead)
    func `change sets that waited before there was a limit still wait`(days: Int64) throws {
        setAhead(days: days)
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let c = try open("c", ahead)
        try a.send(to: c, in: scenario)
        let base = BundleBase(try a.read { try $0.versionVector() })
        try c.insertPerson("Cyd")
        let b = try open("b", scenario.clock)
        let outcome = try Mechanism.without([.bundleClockLimit]) {
            try c.send(to: b, in: scenario, lacking: base)
        }
        #expect(outcome.waitingCount == 1)
        b.close()
        let again = try scenario.open("b")
        #expect(try a.send(to: again, in: scenario).appliedCount == 1)
        #expect(try again.waitingCount == 1)
        try again.insertPerson("Bob")
        #expect(try lastTime(again) == scenario.clock.milliseconds)
    }

    /// The store is of a version that accepted every time.
    @Test(arguments: [40_000, 1_600_000] as [Int64], [true, false])
    func `leave no store that can't save`(days: Int64, hasZone: Bool) throws {
        setAhead(days: days)
        let a = try scenario.open("a")
        let anna = try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        let c = try open("c", ahead)
        try scenario.zone.pull(into: c)
        try c.set("age", .integer(7), of: c.id(of: anna, on: a))
        let b = try open("b", scenario.clock)
        try Mechanism.without([.bundleClockLimit]) {
            if hasZone { try scenario.zone.pull(into: b) }
            try c.send(to: b, in: scenario)
        }
        b.close()
        let again = try scenario.open("b")
        scenario.clock.milliseconds += 1000
        try again.insertPerson("Bob")
        #expect(try lastTime(again) == scenario.clock.milliseconds)
        let times = try again.read { try $0.changeSets(after: 0, limit: 100) }
            .map(\.changeSet.timestamp)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try again.value("age", of: again.id(of: anna, on: a)) == .integer(7))
        // It exchanges with stores that would have refused its change sets.
        let d = try scenario.open("d")
        #expect(try again.send(to: d, in: scenario).waitingCount == 0)
        for _ in 0..<2 {
            for store in [again, a] {
                try scenario.zone.pull(into: store)
                try scenario.zone.repair(store)
                try scenario.zone.push(from: store)
            }
        }
        try scenario.zone.pull(into: again)
        #expect(try again.canonicalHash() == a.canonicalHash())
        #expect(try a.value("age", of: anna) == .integer(7))
    }

    /// The record's row has another version then: the app is notified as of any change.
    @Test func `can make a save conflict over the rows that they wrote`() throws {
        setAhead(days: 40_000)
        let a = try open("a", ahead)
        let anna = try a.insertPerson("Anna")
        let b = try open("b", scenario.clock)
        try Mechanism.without([.bundleClockLimit]) { try a.send(to: b, in: scenario) }
        b.close()
        let again = try scenario.open("b")
        let there = try again.id(of: anna, on: a)
        let first = storeError { try again.set("age", .integer(1), of: there) }
        #expect(first == nil || first?.code == .mergeConflict)
        try again.set("age", .integer(2), of: there)
        #expect(try again.value("age", of: there) == .integer(2))
        #expect(try again.value("name", of: there) == .string("Anna"))
    }
}

/// Tests of times from a zone, which checks times itself: a store refuses only impossible ones.
@Suite struct `Times that come from a zone` {
    let scenario: StoreScenario
    let ahead = TestClock()

    init() throws { scenario = try StoreScenario() }

    private func far(days: Int64) throws -> Store {
        ahead.milliseconds = scenario.clock.milliseconds + days * 86_400_000
        var environment = StoreEnvironment.system
        environment.wallMilliseconds = { [ahead] in ahead.milliseconds }
        return try Store.open(
            at: scenario.path("far"), model: scenario.model, environment: environment)
    }

    @Test(arguments: [(8, true), (400, true), (36_000, true), (40_000, false)] as [(Int64, Bool)])
    func `are accepted in a page up to a century ahead`(days: Int64, isTaken: Bool) throws {
        let a = try far(days: days)
        try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        let b = try scenario.open("b")
        let error = storeError { try scenario.zone.pull(into: b) }
        #expect(error?.code == (isTaken ? nil : .clockSkew))
        #expect(try b.syncState().cursor?.position ?? 0 == (isTaken ? 1 : 0))
    }

    @Test(arguments: [(400, true), (40_000, false)] as [(Int64, Bool)])
    func `are accepted in a repair up to a century ahead`(days: Int64, isTaken: Bool) throws {
        let b = try scenario.open("b")
        let anna = try b.insertPerson("Anna")
        try scenario.zone.sync(b)
        let a = try far(days: days)
        try scenario.zone.pull(into: a)
        try a.set("age", .integer(3), of: a.id(of: anna, on: b))
        var reference = try scenario.zone.reference()
        try reference.apply(try #require(try a.pending(byteLimit: .max).first).changeSet)
        let image = reference.image(of: try #require(try b.recordID(of: anna)))
        let place = CausalContext.Prefix(epoch: scenario.zone.epoch, position: 1)
        let error = storeError { _ = try b.repair([image], at: place) }
        #expect(error?.code == (isTaken ? nil : .clockSkew))
        #expect(try b.value("age", of: anna) == .integer(isTaken ? 3 : 0))
    }

    @Test(arguments: [(400, true), (40_000, false)] as [(Int64, Bool)])
    func `are accepted in a snapshot up to a century ahead`(days: Int64, isTaken: Bool) throws {
        let a = try far(days: days)
        try a.insertPerson("Anna")
        try scenario.zone.sync(a)
        let chunks = try SnapshotChunk.chunks(
            of: try scenario.zone.reference(), log: scenario.zone.log, records: 10)
        let b = try scenario.open("b")
        let cursor = try #require(try a.syncState().cursor)
        let error = storeError { try b.load(chunks, at: cursor) }
        #expect(error?.code == (isTaken ? nil : .clockSkew))
        #expect(try (b.canonicalHash() == a.canonicalHash()) == isTaken)
        #expect(try b.syncState().start == (isTaken ? cursor : nil))
    }

    @Test(arguments: [(400, true), (40_000, false)] as [(Int64, Bool)])
    func `are accepted for a pushed save up to a century ahead`(days: Int64, isTaken: Bool) throws {
        let b = try scenario.open("b")
        try b.insertPerson("Bob")
        let pushed = try #require(try b.pending(byteLimit: .max).first)
        let milliseconds = scenario.clock.milliseconds + days * 86_400_000
        let form = Acknowledged(
            pushed, position: 1,
            timestamp: HybridTimestamp(wallMilliseconds: milliseconds, counter: 0),
            digest: Digest(of: [1]))
        let horizon = CausalContext.Prefix(epoch: scenario.zone.epoch, position: 0)
        let error = storeError { _ = try b.takeForms([form], beneath: horizon) }
        #expect(error?.code == (isTaken ? nil : .clockSkew))
        let after = try b.read { try $0.changeSets(after: 0, limit: 10) }.map(\.changeSet)
        #expect(after.map(\.timestamp) == [isTaken ? form.timestamp : pushed.changeSet.timestamp])
    }
}
