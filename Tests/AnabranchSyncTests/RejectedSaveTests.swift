import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of saves that the zone rejects for good: they are undone and kept, and do not block later
/// saves.
struct RejectedSaveTests {
    /// Returns a zone that rejects blocks by a predicate: those that mention a text, write an age
    /// or delete anything.
    private static func scenario(
        _ isForbidden: @escaping @Sendable (ChangeBlock) -> Bool
    ) throws -> EngineScenario {
        try EngineScenario(
            validation: PushValidation { set, _ in
                try set.decodedPayload().blocks.contains(where: isForbidden)
                    ? SaveRejection(.validationFailed, "Not here.") : nil
            })
    }

    private static func mentions(_ values: PropertyValue...) -> @Sendable (ChangeBlock) -> Bool {
        { block in
            switch block {
            case .insert(let rows), .update(let rows):
                rows.columns.contains { !$0.allSatisfy { !values.contains($0) } }
            default: false
            }
        }
    }

    @Test func `an insert is undone with what was done to it, and the rest goes up`() async throws {
        let scenario = try Self.scenario(Self.mentions(.string("bad")))
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        try a.insert("good", names)
        try a.insert("bad", age: 1, names)
        try a.setAge(7, of: "bad", names)
        try a.insert("after", names)
        let engine = try scenario.engine(a)
        let outcome = try await engine.synchronize()
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil)
        #expect(outcome.rejectedSaves == 1 && outcome.pushedChangeSets == 3)
        #expect(engine.status.rejectedCount == 1)
        #expect(try a.names(names) == ["after", "good"].map { "\(PropertyValue.string($0))" })
        let rejected = try #require(try a.rejectedSaves().first)
        #expect(rejected.rejection == SaveRejection(.validationFailed, "Not here."))
        #expect(rejected.consequences.count == 1)
        #expect(try rejected.operations().count == 2)
        #expect(rejected.changeSet.dot.sequence == 2 && rejected.changeSet.kind == .save)
        try await scenario.engine(b).synchronize()
        try scenario.expectConverged([a, b])
        #expect(try scenario.zone.head().position == 4)
        #expect(try b.rejectedSaves().isEmpty)
        #expect(try await engine.synchronize().rejectedSaves == 0)
        try a.insert("later", names)
        #expect(try await engine.synchronize().isCaughtUp)
        try scenario.expectConverged([a])
        #expect(try a.discardRejectedSaves([rejected.id]) == 1)
        #expect(try a.discardRejectedSaves([rejected.id]) == 0)
        #expect(try a.rejectedSaveCount() == 0)
    }

    @Test func `a rejected update is undone, and other updates of the record stay`() async throws {
        let scenario = try Self.scenario(Self.mentions(.integer(99)))
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        try a.insert("good", age: 1, names)
        for store in [a, b] { try await scenario.engine(store).synchronize() }
        try b.setAge(2, of: "good", names)
        try await scenario.engine(b).synchronize()
        try a.setAge(99, of: "good", names)
        #expect(try await scenario.engine(a).synchronize().rejectedSaves == 1)
        #expect(try a.row("good", names)?.slots[names.age] == .integer(2))
        try scenario.expectConverged([a, b])
        try a.setAge(99, of: "good", names)
        try a.setAge(3, of: "good", names)
        #expect(try await scenario.engine(a).synchronize().rejectedSaves == 1)
        #expect(try a.row("good", names)?.slots[names.age] == .integer(3))
        try await scenario.engine(b).synchronize()
        try scenario.expectConverged([a, b])
        #expect(try a.rejectedSaves().map(\.consequences.count) == [0, 0])
    }

    /// The rejected save had seen one value, and hid another one that is concurrent with the first.
    @Test func `the journal reports the discarded value and the winner without the rejected save`()
        async throws
    {
        let scenario = try Self.scenario(Self.mentions(.integer(99)))
        let names = scenario.names
        // Engines set their stores' clocks by the zone's clock, which stands still. Of two first
        // writes the greater replica's is the later one.
        let stores = try [("a.db", 1), ("b.db", 2), ("c.db", 3)].map { name, number in
            try scenario.open(name, firstReplica: ReplicaID(high: 0, low: number))
        }
        let (a, b, c) = (stores[0], stores[1], stores[2])
        try a.insert("good", age: 1, names)
        for store in stores { try await scenario.engine(store).synchronize() }
        try b.setAge(2, of: "good", names)
        for store in [b, a] { try await scenario.engine(store).synchronize() }
        try c.setAge(5, of: "good", names)
        try a.setAge(99, of: "good", names)
        try await scenario.engine(c).synchronize()
        #expect(try await scenario.engine(a).synchronize().rejectedSaves == 1)
        for store in stores { try await scenario.engine(store).synchronize() }
        try scenario.expectConverged(stores)
        for store in stores {
            #expect(try store.row("good", names)?.slots[names.age] == .integer(5))
            #expect(try store.conflicts().map(\.value) == [.integer(2)])
            #expect(try store.conflicts().map(\.winningValue) == [.integer(5)])
        }
    }

    @Test func `a deleted record comes back if the zone rejects its deletion`() async throws {
        let scenario = try Self.scenario { block in
            if case .delete = block { true } else { false }
        }
        let names = scenario.names
        let a = try scenario.open("a.db")
        try a.insert("kept", age: 5, names)
        try await scenario.engine(a).synchronize()
        let id = try #require(try a.row("kept", names)).id
        try a.delete("kept", names)
        #expect(try a.people(names).isEmpty)
        #expect(try await scenario.engine(a).synchronize().isCaughtUp)
        #expect(try a.row("kept", names)?.id == id)
        try scenario.expectConverged([a])
    }

    @Test(arguments: TestLength.seeds(10))
    func `a lost answer, and a copy of the file, learn of it by the pull`(
        seed: UInt64
    ) async throws {
        let scenario = try Self.scenario(Self.mentions(.string("bad"), .integer(99)))
        let names = scenario.names
        var a = try scenario.open("a.db")
        try a.insert("good", age: 1, names)
        try await scenario.engine(a).synchronize()
        try a.insert("bad", names)
        try a.setAge(99, of: "good", names)
        a.close()
        try scenario.copy("a.db", to: "b.db")
        a = try scenario.open("a.db")
        let b = try scenario.open("b.db")
        try b.setAge(8, of: "bad", names)
        let faulty = scenario.transport(seed: seed, faults: .all(oneIn: 3))
        for _ in 0..<20 { _ = try? await scenario.engine(a, faulty).synchronize() }
        for store in [a, b, a] { try await scenario.engine(store).synchronize() }
        try scenario.expectConverged([a, b])
        #expect(try a.rejectedSaves().map(\.consequences.count) == [0, 0])
        #expect(try b.rejectedSaves().map(\.consequences.count) == [0, 1])
        #expect(try a.row("good", names)?.slots[names.age] == .integer(1))
        #expect(try a.people(names).count == 1 && b.people(names).count == 1)
    }

    @Test func `a rejected save comes back if the zone accepts it after all`() async throws {
        let world = try RestoredZone()
        let isForbidding = Mutex(true)
        let names = world.scenario.names
        let backup = try world.backUp()
        try world.restore(
            backup,
            validation: PushValidation { _, _ in
                isForbidding.withLock { $0 } ? SaveRejection(.notAllowed, "Closed.") : nil
            })
        var a = try world.scenario.open("a.db")
        try a.insert("first", age: 3, names)
        a.close()
        try world.scenario.copy("a.db", to: "b.db")
        a = try world.scenario.open("a.db")
        let b = try world.scenario.open("b.db")
        #expect(try await world.sync(a).rejectedSaves == 1)
        #expect(try a.people(names).isEmpty)
        isForbidding.withLock { $0 = false }
        try world.restore(nil)
        try await world.sync(b)
        #expect(try b.people(names).count == 1)
        try await world.expectConverged([a, b], people: 1)
        #expect(try a.rejectedSaves().isEmpty)
        // This is the opposite case: the holder of the save learns that another log has a void.
        try world.restore(
            nil, validation: PushValidation { _, _ in SaveRejection(.notAllowed, "Closed again.") })
        try await world.expectConverged([b, a], people: 0)
        for store in [a, b] { #expect(try store.rejectedSaves().count == 1) }
        // A void stays void in a log that would have accepted the save.
        try world.restore(nil)
        try await world.expectConverged([b, a], people: 0)
        for store in [a, b] { #expect(try store.rejectedSaves().count == 1) }
    }

    /// The zone has lost the save before the rejected one, and no log has it any more. So the
    /// rejected save waits in its author's log, without effect, when the void arrives.
    @Test func `a save that waits in the log is kept when its void arrives`() async throws {
        let world = try RestoredZone()
        world.clock = world.scenario.serverClock
        let names = world.scenario.names
        let backup = try world.backUp()
        var a = try world.scenario.open("a.db")
        for name in ["first", "second"] { try a.insert(name, names) }
        try await world.sync(a)
        let rule = LogRetention(age: .seconds(-86_400), leastAge: .seconds(-86_400))
        #expect(try a.trimLog(to: rule).saveCount == 1)
        try world.restore(
            backup,
            validation: PushValidation { set, _ in
                set.author == "bad" ? SaveRejection(.validationFailed, "Not here.") : nil
            })
        try a.insert("rejected", by: "bad", names)
        try a.setAge(7, of: "rejected", names)
        a.close()
        try world.scenario.copy("a.db", to: "b.db")
        a = try world.scenario.open("a.db")
        let b = try world.scenario.open("b.db")
        try await world.sync(a, refusing: .push)
        #expect(try a.people(names).isEmpty && a.pendingSaves().count == 3)
        try await world.sync(b)
        #expect(try world.log().map(\.kind) == [.lost, .save, .void, .save])
        try await world.expectConverged([a, b], people: 1)
        for store in [a, b] {
            let rejected = try store.rejectedSaves()
            #expect(rejected.map(\.changeSet.author) == ["bad"])
            #expect(try rejected.map { try $0.operations().count } == [2])
            #expect(rejected.map(\.rejection.reason) == ["Not here."])
        }
    }

    @Test func `a save of a bundle that waits is kept when its void arrives`() async throws {
        let scenario = try Self.scenario(Self.mentions(.string("bad")))
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        for name in ["good", "bad"] { try a.insert(name, names) }
        let first = Dot(replica: try a.replica, sequence: 1)
        let bundle = try scenario.bundle(
            a, lacking: .heads([.init(dot: first, originPrefix: nil)]))
        #expect(try b.take(bundle).waitingCount == 1)
        try await scenario.sync(a, b)
        try scenario.expectConverged([a, b])
        #expect(try b.read { try $0.waitingCount() } == 0)
        let (rejected, waiting) = (try a.rejectedSaves(), try b.rejectedSaves())
        #expect(rejected.count == 1)
        #expect(waiting.map(\.changeSet.origin) == rejected.map(\.changeSet.origin))
        #expect(waiting.map(\.rejection) == rejected.map(\.rejection))
    }

    /// Whatever is rejected, all stores reach one state, which is that of the zone's log. Every
    /// save is in the log or in the table of its author.
    @Test(arguments: TestLength.seeds(12))
    func `stores converge after random edits of which some are rejected`(seed: UInt64) async throws
    {
        let scenario = try EngineScenario(
            validation: PushValidation { set, _ in
                set.origin.prefix % 4 == 0 ? SaveRejection(.quotaExceeded, "Too much.") : nil
            })
        let names = scenario.names
        var generator = SeededGenerator(seed: seed)
        var stores: [Store] = []
        for number in 0..<3 { stores.append(try scenario.open("\(number).db")) }
        for step in 0..<60 {
            let store = generator.element(of: stores)
            let people = try store.people(names)
            let person = people.isEmpty ? nil : generator.element(of: people)
            let name = person.map { $0.slots[names.name] }
            switch (Int.random(in: 0..<8, using: &generator), name) {
            case (0..<3, .string(let name)?): try store.setAge(Int64(step), of: name, names)
            case (3, .string(let name)?): try store.delete(name, names)
            case (4..<6, _): try await scenario.engine(store).synchronize()
            default: try store.insert("step \(step)", names)
            }
        }
        for store in stores + stores { try await scenario.engine(store).synchronize() }
        try scenario.expectConverged(stores)
        var reference = ReferenceMerge()
        let log = try scenario.log()
        for set in log { try reference.apply(set) }
        #expect(try scenario.zone.canonicalHash().hash == reference.canonicalHash)
        let voids = Set(log.filter { $0.kind == .void }.map(\.origin))
        let parked = try stores.flatMap { try $0.rejectedSaves() }.map(\.changeSet.origin)
        #expect(voids == Set(parked) && voids.count == parked.count && !voids.isEmpty)
        for store in stores { #expect(try store.pendingSaves().count == 0) }
    }
}
