import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchStore

/// Makes a transaction die once at a point, when it is armed.
private final class Crash: Sendable {
    struct Died: Error {}

    enum Place: CaseIterable { case beforeFirstWrite, beforeCommit, afterCommit }

    private let armed = Mutex<Place?>(nil)

    func arm(_ place: Place) { armed.withLock { $0 = place } }

    private func pass(_ place: Place) throws {
        let dies = armed.withLock { armed in
            defer { if armed == place { armed = nil } }
            return armed == place
        }
        if dies { throw Died() }
    }

    var faults: TransactionFaults {
        TransactionFaults(
            beforeFirstWrite: { try self.pass(.beforeFirstWrite) },
            beforeCommit: { try self.pass(.beforeCommit) },
            afterCommit: { try self.pass(.afterCommit) })
    }
}

@Suite struct `A crash` {
    private let scenario: StoreScenario
    private let crash = Crash()

    init() throws { scenario = try StoreScenario() }

    private func open() throws -> Store { try scenario.open("a", faults: crash.faults) }

    @Test(arguments: [true, false])
    func `a crash within a save leaves all of it or nothing and reuses no number`(
        reopening: Bool
    ) throws {
        var store = try open()
        var committed = 0
        for turn in 0..<12 {
            for place in Crash.Place.allCases {
                let id = try store.reserveNumbers(1).lowerBound
                var request = SaveRequest()
                request.inserts = [
                    .init(
                        entity: scenario.person,
                        rows: [
                            (id, store.slots(of: scenario.person, ["age": .integer(Int64(turn))]))
                        ])
                ]
                // A clock that moves back with the crash must not reuse a stamp.
                scenario.clock.milliseconds -= 10
                crash.arm(place)
                #expect(throws: Crash.Died.self) { _ = try store.save(request) }
                if place == .afterCommit { committed += 1 }
                if reopening {
                    store.close()
                    store = try open()
                }
                #expect(try store.row("Person", id) != nil || place != .afterCommit)
                #expect(try store.row("Person", id) == nil || place == .afterCommit)
                try store.insertPerson("after")
                committed += 1
            }
        }
        let entries = try store.read { try $0.changeSets(after: 0, limit: 1000) }
        #expect(entries.map(\.changeSet.dot.sequence) == (1...UInt64(committed)).map { $0 })
        let times = entries.map(\.changeSet.timestamp)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try scenario.isIntact("a"))
        try scenario.zone.sync(store)
        #expect(try scenario.zone.reference().canonicalHash == store.canonicalHash())
    }

    @Test(arguments: 0..<3)
    func `a crash within a reservation gives no number twice`(place: Int) throws {
        let store = try open()
        let first = try store.reserveNumbers(10)
        crash.arm(Crash.Place.allCases[place])
        #expect(throws: Crash.Died.self) { _ = try store.reserveNumbers(5) }
        let next = try store.reserveNumbers(1).lowerBound
        #expect(next > first.upperBound)
        #expect((next - first.upperBound == 6) == (place == 2), "gaps are normal, reuse is not")
    }

    @Test(arguments: 0..<3)
    func `a crash within a page leaves the page and its cursor, or neither`(place: Int) throws {
        let other = try scenario.open("b")
        for name in ["Anna", "Bob"] { try other.insertPerson(name) }
        try scenario.zone.push(from: other)
        let store = try open()
        let replicaCount = try scenario.sql("a", "SELECT count(*) FROM ab_replica")
        crash.arm(Crash.Place.allCases[place])
        #expect(throws: Crash.Died.self) { try scenario.zone.pull(into: store) }
        let cursor = try store.syncState().cursor
        #expect((cursor?.position == 2) == (place == 2))
        #expect(
            (try scenario.sql("a", "SELECT count(*) FROM ab_replica") == replicaCount)
                == (place != 2))
        // The failed operation is repeated, and a save between the two finds its ordinals.
        try store.insertPerson("Cyd")
        for _ in 0..<2 { for store in [store, other] { try scenario.zone.sync(store) } }
        #expect(try store.canonicalHash() == other.canonicalHash())
        #expect(try scenario.isIntact("a"))
    }

    @Test(arguments: 0..<3)
    func `an acknowledgement lost in a crash is recovered by the next pull`(place: Int) throws {
        let store = try open()
        try store.insertPerson("Anna")
        let entry = try #require(try store.pending(byteLimit: .max).first)
        scenario.zone.append(entry.changeSet)
        crash.arm(Crash.Place.allCases[place])
        #expect(throws: Crash.Died.self) {
            try store.acknowledge([Acknowledged(entry, position: 1)], epoch: scenario.zone.epoch)
        }
        // The zone has it. The store edits the same row before it receives the acknowledgement.
        try store.insertPerson("Bob")
        try scenario.zone.pull(into: store)
        #expect(try store.pendingSaves().count == 1)
        try scenario.zone.push(from: store)
        #expect(scenario.zone.log.count == 2)
        #expect(try store.syncState().cursor?.position == 2)
    }
}

@Suite struct `A full disk` {
    /// The file may grow by at most k pages, for k = 0, 1, 2, … until a save succeeds.
    @Test func `is reported, and leaves all or nothing`() throws {
        let scenario = try StoreScenario()
        let store = try scenario.open("a")
        try store.insertPeople(10)
        let hash = try store.canonicalHash()
        guard
            case .integer(let pages)? = try scenario.sql("a", "PRAGMA page_count").first?.first
        else { return }
        var failures = 0
        for extra in 0..<400 {
            try store.withWriter { try $0.execute("PRAGMA max_page_count = \(Int(pages) + extra)") }
            let error = storeError { try store.insertPeople(1500) }
            guard error != nil else { break }
            #expect(error?.code == .diskFull)
            #expect(try store.canonicalHash() == hash)
            #expect(try store.pendingSaves().count == 1)
            failures += 1
        }
        #expect(failures > 3)
        #expect(try store.pendingSaves().count == 2)
        #expect(try scenario.isIntact("a"))
    }

    @Test func `stops a page whole`() throws {
        let scenario = try StoreScenario()
        let a = try scenario.open("a")
        try a.insertPeople(2000)
        try scenario.zone.push(from: a)
        let b = try scenario.open("b")
        guard
            case .integer(let pages)? = try scenario.sql("b", "PRAGMA page_count").first?.first
        else { return }
        try b.withWriter { try $0.execute("PRAGMA max_page_count = \(pages + 5)") }
        #expect(storeError { try scenario.zone.pull(into: b) }?.code == .diskFull)
        #expect(try b.syncState().cursor == nil)
        try b.withWriter { try $0.execute("PRAGMA max_page_count = 100000") }
        try scenario.zone.pull(into: b)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }
}
