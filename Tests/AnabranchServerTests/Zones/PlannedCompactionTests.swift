import AnabranchProtocol
import AnabranchReplication
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of compactions by a plan.
@Suite(.everyStore) struct PlannedCompactionTests {
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_700_000_000_000

    private let time: SettableClock
    private let zone: TestZone
    private var author = TestAuthor(1)
    private var others = [TestAuthor(8), TestAuthor(9)]

    init() throws {
        let time = SettableClock(Self.start)
        self.time = time
        zone = try TestZone(StorageKind.current, clock: { time.milliseconds })
    }

    private func plan(keeping count: UInt64 = 0, away days: Int64 = 30) -> CompactionPlan {
        var plan = CompactionPlan(interval: .seconds(1))
        plan.keptEntries = count
        plan.awayMilliseconds = days * Self.day
        return plan
    }

    /// Pushes saves; the first two in a new zone are of other replicas, which say hello later.
    private mutating func push(_ count: Int) throws {
        for number in 0..<count {
            switch try zone.service.head().position {
            case 0: _ = try zone.push(others[0].insertPerson("first").0)
            case 1: _ = try zone.push(others[1].insertPerson("second").0)
            default: _ = try zone.push(author.insertPerson("person \(number)").0)
            }
        }
    }

    private func hello(_ number: UInt64, at position: UInt64) throws {
        let cursor = try zone.storage.read { try $0.cursor(at: position) }
        _ = try zone.service.hello(
            HelloRequest(
                replica: TestAuthor(number).replica, last: nil, cursor: cursor,
                wallMilliseconds: time.milliseconds))
    }

    @Test mutating func `what no replica lacks goes, except the last entries`() throws {
        try push(10)
        try hello(9, at: 10)
        let done = try #require(try zone.service.compact(by: plan(keeping: 3)))
        #expect(done.startPosition == 7)
        #expect(try zone.service.compact(by: plan(keeping: 3)) == nil, "nothing is left to do")
    }

    @Test mutating func `a replica that was seen lately keeps the entries that it lacks`() throws {
        try push(10)
        try hello(8, at: 4)
        try hello(9, at: 10)
        time.milliseconds = Self.start + 29 * Self.day
        #expect(try zone.service.compact(by: plan())?.startPosition == 4)
        time.milliseconds = Self.start + 31 * Self.day
        try hello(9, at: 10)
        #expect(try zone.service.compact(by: plan())?.startPosition == 10)
    }

    @Test mutating func `the time of a hello outlives the service`() throws {
        try push(10)
        try hello(8, at: 4)
        try zone.reopen()
        #expect(try zone.service.compact(by: plan())?.startPosition == 4)
    }

    @Test mutating func `entries younger than an age stay`() throws {
        try push(6)
        time.milliseconds = Self.start + 10 * Self.day
        author.wallMilliseconds = time.milliseconds
        try push(4)
        var plan = plan()
        plan.keptMilliseconds = 5 * Self.day
        #expect(try zone.service.compact(by: plan)?.startPosition == 6)
        plan.keptMilliseconds = 20 * Self.day
        #expect(try zone.service.compact(by: plan) == nil)
    }

    @Test mutating func `positions are written after an hour without a push`() throws {
        try push(3)
        try hello(8, at: 1)
        #expect(try zone.storage.read { try $0.acknowledgements() } == [:])
        time.milliseconds = Self.start + 3_600_000
        try hello(9, at: 3)
        let held = try zone.storage.read { try $0.acknowledgements() }
        #expect(
            held == [
                TestAuthor(8).replica: Acknowledgement(position: 1, seen: Self.start),
                TestAuthor(9).replica: Acknowledgement(
                    position: 3, seen: Self.start + 3_600_000),
            ])
    }

    @Test mutating func `a replica that has pushed nothing keeps no entries and no row`() throws {
        try push(10)
        try hello(9, at: 10)
        for number in 100..<200 { try hello(UInt64(number), at: 1) }
        #expect(try zone.service.compact(by: plan())?.startPosition == 10)
        let held = try zone.storage.read { try $0.acknowledgements() }
        #expect(Array(held.keys) == [TestAuthor(9).replica])
    }

    @Test mutating func `rows of an earlier server for invented replicas hold nothing back`() throws
    {
        try push(10)
        try hello(9, at: 10)
        let invented = TestAuthor(77).replica
        let now = time.milliseconds
        try zone.storage.write {
            $0.acknowledge([invented: Acknowledgement(position: 1, seen: now)])
        }
        #expect(try zone.service.compact(by: plan())?.startPosition == 10)
    }

    @Test mutating func `a replica that an operator drops keeps no entries until it returns`()
        throws
    {
        try push(10)
        try hello(8, at: 4)
        try hello(9, at: 10)
        #expect(try zone.service.compact(by: plan())?.startPosition == 4)
        let dropped = TestAuthor(8).replica
        #expect(try zone.service.forget(dropped))
        #expect(try !zone.service.forget(dropped))
        #expect(try !zone.service.forget(TestAuthor(77).replica))
        try hello(8, at: 6)
        #expect(try zone.service.compact(by: plan())?.startPosition == 6)
        #expect(try zone.service.forget(dropped))
        #expect(try zone.service.compact(by: plan(away: 36_500))?.startPosition == 10)
    }
}
