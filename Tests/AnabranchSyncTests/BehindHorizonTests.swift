import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of stores that come back with change sets that the zone has under another name or in
/// another form, after it has compacted the originals.
struct BehindHorizonTests {
    private func fork(
        _ scenario: EngineScenario, synced: [String], _ names: SmallModel
    ) async throws -> Store {
        var store = try scenario.open("a.db")
        try store.insert("old", names)
        try await scenario.engine(store).synchronize()
        store.close()
        let backup = try scenario.content(of: "a.db")
        store = try scenario.open("a.db")
        for name in synced { try store.insert(name, names) }
        try await scenario.engine(store).synchronize()
        store.close()
        try scenario.copy("a.db", to: "zone's.db")
        try scenario.overwrite("a.db", with: backup)
        return try scenario.open("a.db")
    }

    @Test(arguments: 1...3, 1...3)
    func `a forked history is renamed only if the zone has the other branch`(
        inZone: Int, here: Int
    ) async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let synced = (0..<inZone).map { "zone's \($0)" }
        let store = try await fork(scenario, synced: synced, names)
        let replica = try store.replica
        for number in 0..<here { try store.insert("ours \(number)", names) }
        try store.setAge(7, of: "ours 0", names)
        try store.setAge(8, of: "old", names)
        _ = try scenario.zone.compact(keeping: 0)
        let outcome = try await scenario.engine(store).synchronize()
        #expect(outcome.blockedBy == nil && outcome.isCaughtUp)
        #expect(outcome.pushedChangeSets == here + 2)
        #expect(try store.people(names).count == 1 + inZone + here)
        #expect(try store.row("ours 0", names)?.slots[names.age] == .integer(7))
        #expect(try store.row("old", names)?.slots[names.age] == .integer(8))
        try scenario.expectConverged([store])
        try store.insert("later", names)
        #expect(try store.replica != replica, "the name is the other branch's")
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        let fresh = try scenario.open("fresh.db")
        try await scenario.engine(fresh).synchronize()
        try scenario.expectConverged([store, fresh])
    }

    @Test func `a fork that shows once the snapshot is there is healed too`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let store = try await fork(scenario, synced: ["zone's"], names)
        try store.insert("ours", names)
        _ = try scenario.zone.compact(keeping: 0)
        let transport = scenario.transport()
        transport.refuse(.push, with: ProtocolError(.forbidden, "The token may only read."))
        #expect(try await scenario.engine(store, transport).synchronize().pendingCount == 1)
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        #expect(try store.names(names).count == 3)
        try scenario.expectConverged([store])
    }

    @Test func `a branch on top of a snapshot of the other one does not stop the pull`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        var store = try await fork(scenario, synced: ["zone's"], names)
        try store.insert("ours", names)
        try store.insert("ours too", names)
        _ = try scenario.zone.compact(keeping: 0)
        let transport = scenario.transport()
        transport.refuse(.push, with: ProtocolError(.forbidden, "The token may only read."))
        #expect(try await scenario.engine(store, transport).synchronize().pendingCount == 2)
        store.close()
        let ours = try scenario.content(of: "a.db")
        // The zone's branch goes on under the name that the second of ours has.
        try scenario.overwrite("a.db", with: scenario.content(of: "zone's.db"))
        store = try scenario.open("a.db")
        try store.insert("zone's too", names)
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        store.close()
        try scenario.overwrite("a.db", with: ours)
        store = try scenario.open("a.db")
        let outcome = try await scenario.engine(store).synchronize()
        #expect(outcome.snapshotReason == nil, "the branch waits under names of its own")
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        #expect(try store.names(names).count == 5)
        try scenario.expectConverged([store])
    }

    /// The zone holds all of the branch but the last save, which has the number after the zone's
    /// last one of the replica.
    @Test(arguments: [false, true], [false, true])
    func `a save on a branch that a copy has pushed continues the branch`(
        isCompactedLate: Bool, isPushRefusedFirst: Bool
    ) async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        var store = try await fork(scenario, synced: ["zone's"], names)
        try store.insert("ours", names)
        store.close()
        try scenario.copy("a.db", to: "b.db")
        if !isCompactedLate { _ = try scenario.zone.compact(keeping: 0) }
        let copy = try scenario.open("b.db")
        #expect(try await scenario.engine(copy).synchronize().isCaughtUp)
        if isCompactedLate { _ = try scenario.zone.compact(keeping: 0) }
        store = try scenario.open("a.db")
        try store.setAge(9, of: "ours", names)
        if isPushRefusedFirst {
            let transport = scenario.transport()
            transport.refuse(.push, with: ProtocolError(.forbidden, "The token may only read."))
            #expect(try await scenario.engine(store, transport).synchronize().pendingCount > 0)
            #expect(try store.row("zone's", names)?.slots[names.age] != .integer(9))
        }
        let outcome = try await scenario.engine(store).synchronize()
        #expect(outcome.blockedBy == nil && outcome.isCaughtUp)
        #expect(try await scenario.engine(copy).synchronize().isCaughtUp)
        #expect(try store.names(names).count == 3)
        #expect(try copy.row("ours", names)?.slots[names.age] == .integer(9))
        try scenario.expectConverged([store, copy])
    }

    /// The zone has the branch's first save too, and the other branch continues under the names of
    /// the later ones.
    @Test func `a branch that waits finds where it leaves the history that the zone has`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        var store = try scenario.open("a.db")
        try store.insert("old", names)
        try await scenario.engine(store).synchronize()
        try store.insert("common", names)
        store.close()
        var other = try scenario.content(of: "a.db")
        store = try scenario.open("a.db")
        for name in ["ours", "ours too"] { try store.insert(name, names) }

        // Replaces the file's content, which is returned.
        func replaceContent(by content: Data) throws -> Data {
            store.close()
            let present = try scenario.content(of: "a.db")
            try scenario.overwrite("a.db", with: content)
            store = try scenario.open("a.db")
            return present
        }
        var ours = try replaceContent(by: other)
        try store.insert("zone's", names)
        try await scenario.engine(store).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        other = try replaceContent(by: ours)
        let transport = scenario.transport()
        transport.refuse(.push, with: ProtocolError(.forbidden, "The token may only read."))
        #expect(try await scenario.engine(store, transport).synchronize().pendingCount == 3)
        ours = try replaceContent(by: other)
        try store.insert("zone's too", names)
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        _ = try replaceContent(by: ours)

        let outcome = try await scenario.engine(store).synchronize()
        #expect(outcome.blockedBy == nil && outcome.isCaughtUp)
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        #expect(try store.names(names).count == 6)
        try scenario.expectConverged([store])
    }

    @Test func `a set that a copy has pushed with an earlier time is taken over`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let ahead = SettableClock()
        let store = try scenario.open("a.db", clock: ahead)
        try store.insert("old", names)
        try await scenario.engine(store).synchronize()
        ahead.milliseconds += 3_600_000
        try store.insert("ahead", age: 1, names)
        try store.setAge(2, of: "ahead", names)
        store.close()
        try scenario.copy("a.db", to: "b.db")
        let copy = try scenario.open("b.db")
        #expect(try await scenario.engine(copy).synchronize().pushedChangeSets == 2)
        _ = try scenario.zone.compact(keeping: 0)
        let reopened = try scenario.open("a.db", clock: ahead)
        try reopened.setAge(3, of: "ahead", names)
        let outcome = try await scenario.engine(reopened).synchronize()
        #expect(outcome.blockedBy == nil && outcome.isCaughtUp)
        try await scenario.engine(copy).synchronize()
        try scenario.expectConverged([reopened, copy])
        #expect(try copy.row("ahead", names)?.slots[names.age] == .integer(3))
    }

    @Test func `a value that loses by an earlier time is journaled after a snapshot too`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let (ahead, far) = (SettableClock(), SettableClock())
        for clock in [ahead, far] { clock.milliseconds += 3_600_000 }
        let author = try scenario.open("a.db", clock: ahead)
        try author.insert("ahead", age: 1, names)
        let traveller = try scenario.open("t.db", clock: far)
        let bundle = scenario.folder.file("a.bundle")
        _ = try author.exportBundle(to: bundle)
        _ = try traveller.importBundle(from: bundle) { _ in }
        try traveller.setAge(33, of: "ahead", names)
        try await scenario.engine(author).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        try author.setAge(44, of: "ahead", names)
        try await scenario.engine(author).synchronize()

        let outcome = try await scenario.engine(traveller).synchronize()
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil)
        try await scenario.engine(author).synchronize()
        try scenario.expectConverged([author, traveller])
        #expect(try traveller.row("ahead", names)?.slots[names.age] == .integer(44))
        for store in [author, traveller] {
            let conflicts = try store.conflicts()
            #expect(conflicts.map(\.value) == [.integer(33)], "\(store.path)")
            #expect(conflicts.map(\.winningValue) == [.integer(44)])
        }
    }

    @Test func `a save that the zone rejected is undone, though only its name is left`()
        async throws
    {
        let scenario = try EngineScenario(
            validation: PushValidation { set, _ in
                set.author == "bad" ? SaveRejection(.validationFailed, "Not here.") : nil
            })
        let names = scenario.names
        let store = try scenario.open("a.db")
        try store.insert("old", names)
        try await scenario.engine(store).synchronize()
        let row = try #require(try store.row("old", names))
        var slots = row.slots
        slots[names.age] = .integer(99)
        var request = SaveRequest(author: "bad")
        request.updates = [
            .init(entity: names.person, slots: [names.age], rows: [(row.id, row.version, slots)])
        ]
        _ = try store.save(request)
        store.close()
        try scenario.copy("a.db", to: "b.db")
        let copy = try scenario.open("b.db")
        #expect(try await scenario.engine(copy).synchronize().rejectedSaves == 1)
        try copy.insert("more", names)
        try await scenario.engine(copy).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        let reopened = try scenario.open("a.db")
        let outcome = try await scenario.engine(reopened).synchronize()
        #expect(outcome.blockedBy == nil && outcome.isCaughtUp)
        #expect(try reopened.rejectedSaves().count == 1)
        #expect(try reopened.row("old", names)?.slots[names.age] == .integer(0))
        try scenario.expectConverged([reopened, copy])
    }

    /// Stores fork, are copied, and have clocks that are ahead, while the log is compacted
    /// repeatedly.
    @Test(arguments: TestLength.seeds(48))
    func `whichever stores come back, all converge without loss`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let scenario = try EngineScenario()
        let names = scenario.names
        let clocks = (0..<4).map { _ in SettableClock() }
        var stores = try (0..<4).map { try scenario.open("\($0).db", clock: clocks[$0]) }
        for store in stores { try await scenario.engine(store).synchronize() }
        var backups: [Int: (content: Data, saved: Set<String>)] = [:]
        var held: [Set<String>] = Array(repeating: [], count: 4)
        for step in 0..<50 {
            let index = Int.random(in: 0..<4, using: &generator)
            let store = stores[index]
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<7:
                try store.insert("step \(step)", names)
                held[index].insert("step \(step)")
            case 7..<9:
                guard let row = try store.people(names).randomElement(using: &generator),
                    case .string(let name) = row.slots[names.name]
                else { continue }
                try store.setAge(Int64(step), of: name, names)
            case 9..<14: try await scenario.engine(store).synchronize()
            case 14: clocks[index].milliseconds += 3_600_000
            case 15, 16:
                store.close()
                if let backup = backups.removeValue(forKey: index) {
                    // Everything that it has not sent since then is lost for good.
                    try scenario.overwrite("\(index).db", with: backup.content)
                    held[index] = backup.saved
                } else {
                    backups[index] = (try scenario.content(of: "\(index).db"), held[index])
                }
                stores[index] = try scenario.open("\(index).db", clock: clocks[index])
            case 17:
                // Another store's file replaces this one: an undetectable clone.
                let other = (index + 1) % 4
                for closed in [index, other] { stores[closed].close() }
                try scenario.overwrite(
                    "\(index).db", with: try scenario.content(of: "\(other).db"))
                held[index] = held[other]
                for opened in [index, other] {
                    stores[opened] = try scenario.open("\(opened).db", clock: clocks[opened])
                }
            default: _ = try scenario.zone.compact(keeping: .random(in: 0..<4, using: &generator))
            }
        }
        for _ in 0..<3 {
            for store in stores { try await scenario.engine(store).synchronize() }
        }
        for store in stores {
            #expect(try store.pendingSaves().count == 0)
            let present = Set(try store.names(names))
            for name in held.reduce(Set(), { $0.union($1) }) {
                #expect(present.contains("\(PropertyValue.string(name))"), "\(name) is lost")
            }
            #expect(present.count == (try store.people(names).count), "nothing is doubled")
        }
        try scenario.expectConverged(stores)
    }
}
