import Anabranch
import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import Foundation
import TestSupport
import Testing

@testable import AnabranchStore
@testable import AnabranchSync

/// Stores that remove from their logs what their zone holds too.
@Suite struct `A log that is trimmed` {
    let scenario: EngineScenario
    let clock = SettableClock()
    var names: SmallModel { scenario.names }

    init() throws { scenario = try EngineScenario() }

    private static let day: Int64 = 86_400_000

    private func pass(_ days: Int64) {
        clock.milliseconds += days * Self.day
        scenario.serverClock.milliseconds = clock.milliseconds
    }

    private func open(_ name: String, partBytes: Int? = nil) throws -> Store {
        try scenario.open(name, clock: clock, partBytes: partBytes)
    }

    private func sync(_ stores: Store...) async throws {
        for store in stores {
            #expect(try await scenario.engine(store, clock: clock).synchronize().isCaughtUp)
        }
    }

    /// Saves and syncs one person a day.
    private func insert(_ count: Int, into store: Store) async throws {
        for number in 0..<count {
            try store.insert("\(number)", by: "author", names)
            try await sync(store)
            pass(1)
        }
    }

    private func logPositions(_ store: Store) throws -> [UInt64?] {
        try store.read { try $0.changeSets(after: 0, limit: .max).map { $0.place?.position } }
    }

    private static func keeping(days: Int64) -> LogRetention {
        LogRetention(age: .seconds(days * 86_400), leastAge: .zero)
    }

    // MARK: - What goes and what stays

    @Test func `loses the oldest saves that the zone has, and nothing else`() async throws {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try await insert(5, into: a)
        try await sync(b)
        try a.insert("pending", names)
        let hash = try a.canonicalHash()
        #expect(try a.trimLog(to: Self.keeping(days: 3)).saveCount == 2)
        #expect(try logPositions(a) == [3, 4, 5, nil])
        #expect(try a.canonicalHash() == hash && a.check().isValid)
        // The start is the zone's cursor there, which another store computes from the whole log.
        let state = try a.syncState()
        let epoch = try #require(state.cursor?.epoch)
        #expect(try state.start == b.cursor(at: 2, behind: LogCursor(startOf: epoch)))
        #expect(try a.trimLog(to: Self.keeping(days: 3)).saveCount == 0)
        try b.setAge(7, of: "0", names)
        try await sync(b, a, b)
        try scenario.expectConverged([a, b])
        #expect(try a.conflictCount() == 0)
    }

    @Test func `keeps its last save, which has the position of the history`() async throws {
        let a = try open("a.db")
        try await insert(3, into: a)
        let position = try a.read { try $0.logPosition() }
        for _ in 0..<2 { try a.trimLog(to: Self.keeping(days: 0)) }
        #expect(try logPositions(a) == [3])
        #expect(try a.read { try $0.logPosition() } == position)
        #expect(try a.syncState().start?.position == 2)
        try a.insert("later", names)
        try await sync(a)
        pass(1)
        #expect(try a.trimLog(to: Self.keeping(days: 0)).saveCount == 1)
        #expect(try logPositions(a) == [4])
        let b = try open("b.db")
        try await sync(b)
        try scenario.expectConverged([a, b])
    }

    @Test func `is limited in size, but keeps what is younger than the least age`() async throws {
        let a = try open("a.db")
        for number in 0..<6 {
            try a.insert(String(repeating: "\(number)", count: 10_000), names)
            try await sync(a)
            pass(1)
        }
        let rule = LogRetention(byteCount: 25_000, leastAge: .seconds(86_400 * 9 / 2))
        #expect(try a.trimLog(to: rule).saveCount == 2)
        pass(5)
        #expect(try a.trimLog(to: rule).saveCount == 2)
        #expect(try logPositions(a) == [5, 6])
        // The size is counted on from the last count.
        try a.insert(String(repeating: "7", count: 10_000), names)
        try await sync(a)
        pass(5)
        #expect(try a.trimLog(to: rule).byteCount > 10_000)
        #expect(try logPositions(a) == [6, 7])
        #expect(try a.check().isValid)
    }

    @Test func `counts what small saves take besides their values`() async throws {
        let a = try open("a.db")
        for number in 0..<40 { try a.insert("\(number)", names) }
        try await sync(a)
        pass(1)
        // Their values are less than a tenth of this.
        let rule = LogRetention(byteCount: 20 * 300, leastAge: .zero)
        #expect((18...22).contains(try a.trimLog(to: rule).saveCount))
    }

    @Test func `keeps everything that no zone has, and everything if the rule says so`()
        async throws
    {
        let a = try open("a.db")
        for number in 0..<3 { try a.insert("\(number)", names) }
        pass(1_000)
        #expect(try a.trimLog(to: Self.keeping(days: 0)).saveCount == 0)
        try await sync(a)
        #expect(try a.trimLog(to: .everything).saveCount == 0)
        let untouched = try logPositions(a)
        #expect(untouched.count == 1, "the engine has trimmed by the standard rule")
    }

    @Test func `stays whole while a repair or a snapshot needs it`() async throws {
        let a = try open("a.db")
        try await insert(3, into: a)
        let records = try a.people(names).map { try #require(try a.recordID(of: $0.id)) }
        try a.queueForRepair(records)
        #expect(try a.trimLog(to: Self.keeping(days: 0)).saveCount == 0)
        try await sync(a)
        try a.wantSnapshot()
        #expect(try a.trimLog(to: Self.keeping(days: 0)).saveCount == 0)
        try await sync(a)
        #expect(try a.trimLog(to: Self.keeping(days: 0)).saveCount > 0)
        try scenario.expectConverged([a])
    }

    @Test func `gives up the parts of large saves`() async throws {
        let a = try open("a.db", partBytes: 1 << 10)
        try a.insert(String(repeating: "x", count: 20_000), names)
        try await insert(2, into: a)
        func partCount() throws -> [[SQLiteValue]] {
            try a.read { try $0.connection.rows("SELECT count(*) FROM ab_part") }
        }
        #expect(try partCount() != [[.integer(0)]])
        let trimmed = try a.trimLog(to: Self.keeping(days: 1))
        #expect(trimmed.saveCount == 2 && trimmed.byteCount > 20_000)
        #expect(try partCount() == [[.integer(0)]])
    }

    @Test func `is removed in short transactions until nothing is left to remove`() async throws {
        let a = try open("a.db")
        for number in 0..<450 { try a.insert("\(number)", names) }
        try await sync(a)
        pass(1)
        var turns = 0
        let first = try a.trimLog(to: Self.keeping(days: 0)) {
            turns += 1
            return turns == 1
        }
        #expect(first.saveCount == 200)
        #expect(try a.trimLog(to: Self.keeping(days: 0)).saveCount == 249)
        #expect(try logPositions(a).count == 1)
    }

    @Test func `is trimmed by the engine, after an exchange`() async throws {
        let a = try open("a.db")
        try await insert(2, into: a)
        pass(31)
        #expect(try logPositions(a).count == 2)
        try await sync(a)
        #expect(try logPositions(a) == [2])
    }

    // MARK: - What needs it later

    @Test func `still tells what lost, and who wrote it`() async throws {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try a.insert("one", by: "Ada", names)
        try await sync(a, b)
        pass(1)
        try a.setAge(1, of: "one", names)
        try await sync(a)
        pass(1)
        try a.insert("last", names)
        try await sync(a)
        try a.trimLog(to: Self.keeping(days: 0))
        #expect(try logPositions(a) == [3])
        // Its author had not seen the write that the store has removed from its log.
        try b.setAge(2, of: "one", names)
        try await sync(b, a)
        let conflicts = try a.conflicts(.all, limit: 9)
        #expect(conflicts.count == 1)
        #expect(conflicts.first?.value == .integer(1) && conflicts.first?.lost.author == "app")
        // This one has seen all.
        try b.setAge(3, of: "one", names)
        try await sync(b, a)
        #expect(try a.conflictCount() == 1)
        try scenario.expectConverged([a, b])
    }

    @Test func `says that its history has expired`() async throws {
        let a = try open("a.db")
        try await insert(4, into: a)
        try a.trimLog(to: Self.keeping(days: 2))
        a.close()
        let container = PersistentContainer(
            model: names.model, classes: [], url: URL(filePath: scenario.folder.file("a.db")))
        try container.load()
        let coordinator = container.coordinator
        let last = try coordinator.expiredHistoryPosition()
        #expect(last.rawValue == 2)
        let error = #expect(throws: StoreError.self) {
            try coordinator.history(after: HistoryPosition(rawValue: 1))
        }
        #expect(error?.code == .historyExpired)
        for position in [.start, last] {
            #expect(try coordinator.history(after: position).map(\.position.rawValue) == [3, 4])
        }
        #expect(try coordinator.compact(keeping: Self.keeping(days: 0)).removedSaveCount == 1)
    }

    @Test func `refuses a repair as of a position that it no longer reaches`() async throws {
        let a = try open("a.db")
        try await insert(3, into: a)
        let epoch = try #require(try a.syncState().cursor?.epoch)
        _ = try a.repair([], at: CausalContext.Prefix(epoch: epoch, position: 1))
        try a.trimLog(to: Self.keeping(days: 0))
        let error = #expect(throws: StoreError.self) {
            _ = try a.repair([], at: CausalContext.Prefix(epoch: epoch, position: 1))
        }
        #expect(error?.code == .cursorMoved)
    }

    @Test func `makes bundles for stores that hold what it lacks`() async throws {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try await insert(3, into: a)
        try await sync(b)
        try a.trimLog(to: Self.keeping(days: 0))
        try a.insert("new", names)
        let file = scenario.folder.file("a.bundle")
        _ = try a.exportBundle(to: file)
        #expect(try b.importBundle(from: file) { _ in }.appliedCount == 1)
        #expect(try a.canonicalHash() == b.canonicalHash())
        let stranger = try open("c.db")
        #expect(try stranger.importBundle(from: file) { _ in }.waitingCount == 2)
        try await sync(stranger, a, b)
        try scenario.expectConverged([a, b])
    }

    @Test func `gives a restored zone what it still has`() async throws {
        let world = try RestoredZone()
        let a = try world.scenario.open("a.db")
        var backups: [String] = []
        for number in 0..<6 {
            try a.insert("\(number)", names)
            try await world.sync(a)
            backups.append(try world.backUp())
        }
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        #expect(try a.trimLog(to: rule).saveCount == 5)
        // The store saves on, and the zone goes back to what it was before that.
        for number in 6..<9 { try a.insert("\(number)", names) }
        try await world.sync(a)
        try world.restore(backups[5])
        let outcome = try await world.sync(a)
        #expect(outcome.pushedChangeSets == 3 && outcome.keptCopy == nil)
        try await world.expectConverged([a], people: 9)

        // A backup from before the start of the log lacks what no log has any more.
        try world.restore(backups[2])
        let next = try await world.sync(a)
        #expect(try #require(next.keptCopy).contains("a.db.before-zone-"))
        try await world.expectConverged([a], people: 7)
    }

    @Test func `is behind a restored zone, and another store's is not`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        try a.insert("first", names)
        try await world.sync(a)
        let backup = try world.backUp()
        try a.insert("second", names)
        for store in [a, b] { try await world.sync(store) }
        #expect(try b.trimLog(to: rule).saveCount == 1)
        try b.insert("third", names)
        try b.setAge(7, of: "third", names)
        for store in [b, a] { try await world.sync(store) }
        #expect(try a.trimLog(to: rule).saveCount == 3)
        // The store with the shorter log has the last save alone. It declares the two before it
        // lost. The other store still has them and gives them new names. The last save, which
        // followed one of them, keeps the name that the zone's log has.
        try world.restore(backup)
        #expect(try await world.sync(a).keptCopy != nil)
        #expect(try world.log().map(\.kind) == [.save, .lost, .lost, .save])
        try await world.sync(b)
        try await world.expectConverged([a, b], people: 3)
        #expect(try a.check().isValid && b.check().isValid)
    }

    @Test func `continues a save that was declared lost, although it has trimmed that too`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b, c) = (
            try world.scenario.open("a.db"), try world.scenario.open("b.db"),
            try world.scenario.open("c.db")
        )
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        for store in [a, b, c] { try await world.sync(store) }
        let backup = try world.backUp()
        try b.insert("first", names)
        for store in [b, a] { try await world.sync(store) }
        try a.insert("second", names)
        for store in [a, c, b] { try await world.sync(store) }
        #expect(try a.trimLog(to: rule).saveCount == 1)
        try a.insert("fourth", names)
        try b.insert("third", names)
        try await world.sync(b)
        #expect(try b.trimLog(to: rule).saveCount == 2)
        // A store that lacks the two saves declares them lost, and one that has them gives them new
        // names. The save that its author made after the second one keeps its name, so it follows
        // the entry that was declared lost.
        try world.restore(backup)
        try await world.sync(b)
        try b.trimLog(to: rule)
        let kept = try b.read { try $0.changeSets(after: 0, limit: .max) }
        #expect(kept.map(\.changeSet.kind) == [.save])
        for store in [c, a] { try await world.sync(store) }
        let outcome = try await world.sync(b)
        #expect(outcome.snapshotReason == nil)
        #expect(try world.log().map(\.kind) == [.lost, .lost, .save, .save, .save, .save])
        try await world.expectConverged([a, b, c], people: 4)
    }

    @Test func `does not count a save twice that waits while a branch is renamed`()
        async throws
    {
        let world = try RestoredZone()
        world.clock = clock
        let names = try SmallModel(ageRule: .counter)
        let empty = try world.backUp()
        func open(_ name: String) throws -> Store {
            try world.scenario.open(name, clock: clock, model: names.model)
        }
        func pass(_ days: Int64) {
            self.pass(days)
            world.scenario.serverClock.milliseconds = clock.milliseconds
        }
        let (a, b) = (try open("a.db"), try open("b.db"))
        try b.insert("first of b", names)
        try await world.sync(b)
        pass(5)
        try a.insert("first of a", names)
        pass(3)
        try a.insert("counted", names)
        for _ in 0..<2 { try await world.sync(a) }
        try a.insert("last of a", names)
        #expect(try a.trimLog(to: Self.keeping(days: 2)).saveCount == 2)
        try b.insert("last of b", names)
        try await world.sync(b)
        #expect(try b.trimLog(to: Self.keeping(days: 4)).saveCount == 1)
        try b.setAge(5, of: "counted", names)
        // This store has trimmed what its own saves follow, so they wait on the empty snapshot.
        try world.restore(empty)
        try await world.sync(b, refusing: .push)
        #expect(try b.people(names).count == 2)
        #expect(try b.row("counted", names)?.slots[names.age] == .integer(0))
        // The other store declares its own first save lost, which this one has and renames. The
        // save after that keeps its name.
        for store in [a, b] { try await world.sync(store) }
        #expect(try b.row("counted", names)?.slots[names.age] == .integer(5))
        try await world.expectEqual([a, b])
        #expect(try a.row("counted", names)?.slots[names.age] == .integer(5))
    }

    @Test func `gives a save a later time than another holder has given the one before it`()
        async throws
    {
        let world = try RestoredZone()
        world.clock = clock
        world.scenario.serverClock.milliseconds = clock.milliseconds
        let names = world.scenario.names
        let empty = try world.backUp()
        // The stores' clock is an hour ahead, so each store restamps all that it pushes.
        clock.milliseconds += 3_600_000
        func open(_ name: String) throws -> Store {
            try world.scenario.open(name, clock: clock)
        }
        let (a, b) = (try open("a.db"), try open("b.db"))
        try a.insert("one", names)
        let file = world.scenario.folder.file("a.bundle")
        _ = try a.exportBundle(to: file)
        for name in ["two", "three"] { try b.insert(name, names) }
        #expect(try b.importBundle(from: file) { _ in }.appliedCount == 1)
        try a.setAge(5, of: "one", names)
        try await world.sync(a)
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        try a.trimLog(to: rule)
        #expect(try logPositions(a) == [2])
        // The zone loses both saves. It gets the first one back with the time of the other store.
        try world.restore(empty)
        try await world.sync(b)
        let outcome = try await world.sync(a)
        #expect(outcome.blockedBy == nil && outcome.pushedChangeSets == 1)
        let log = try world.log()
        try #require(log.map(\.dot.sequence) == [1, 2, 1, 2])
        #expect(log[3].dot.replica == log[2].dot.replica)
        #expect(log[3].timestamp.rawValue == log[2].timestamp.rawValue + 1)
        try await world.expectConverged([a, b], people: 3)
        for store in [a, b] {
            #expect(try store.row("one", names)?.slots[names.age] == .integer(5))
        }
    }

    /// A restored zone no longer knows that it had rejected the save, and neither does the log.
    @Test(arguments: [true, false])
    func `parks a save once that a bundle brings back after its rejection`(isOpen: Bool)
        async throws
    {
        let rule = PushValidation { set, _ in
            set.dot.sequence == 1 ? SaveRejection(.validationFailed, "Not here.") : nil
        }
        let world = try RestoredZone()
        let names = world.scenario.names
        let empty = try world.backUp()
        try world.restore(empty, validation: rule)
        let a = try world.scenario.open("a.db")
        try a.insert("first", names)
        let file = world.scenario.folder.file("a.bundle")
        _ = try a.exportBundle(to: file)
        for name in ["second", "third"] { try a.insert(name, names) }
        for _ in 0..<2 { try await world.sync(a) }
        #expect(try a.rejectedSaves().count == 1)
        try a.trimLog(to: LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400)))
        try world.restore(empty, validation: isOpen ? nil : rule)
        try await world.sync(a, refusing: .push)
        #expect(try a.importBundle(from: file) { _ in }.appliedCount == 1)
        for _ in 0..<2 { try await world.sync(a) }
        #expect(try world.log().map(\.kind) == [isOpen ? .save : .void, .lost, .save])
        #expect(try a.rejectedSaves().count == (isOpen ? 0 : 1))
        try await world.expectEqual([a])
    }

    /// They are looked for one by one, which would take long if it were done for each stamp of a
    /// snapshot while saves are pending.
    @Test func `looks for saves that wait only as long as one may`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        func mayWait(_ store: Store) throws -> Bool {
            try store.read { try UnorderedEntries(connection: $0.connection).mayWait() }
        }
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        let empty = try world.backUp()
        for name in ["first", "second"] { try a.insert(name, names) }
        for store in [a, b] { for _ in 0..<2 { try await world.sync(store) } }
        #expect(try !mayWait(a))
        for store in [a, b] { try store.trimLog(to: rule) }
        try a.insert("pending", names)
        #expect(try !mayWait(a))
        try world.restore(empty)
        try await world.sync(a, refusing: .push)
        #expect(try mayWait(a))
        for store in [a, b, a] { try await world.sync(store) }
        try a.insert("pending too", names)
        #expect(try !mayWait(a))
        try await world.expectEqual([a, b])
    }

    @Test func `lets a save from a bundle wait for a save of its own that waits`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        let empty = try world.backUp()
        for name in ["first", "second"] { try a.insert(name, names) }
        for store in [a, b] { for _ in 0..<2 { try await world.sync(store) } }
        try b.setAge(7, of: "second", names)
        for store in [a, b] { try store.trimLog(to: rule) }
        let file = world.scenario.folder.file("b.bundle")
        _ = try b.exportBundle(to: file)
        // This store has trimmed what its own save follows, so that waits on the empty snapshot.
        try world.restore(empty)
        try await world.sync(a, refusing: .push)
        #expect(try a.people(names).isEmpty && logPositions(a).count == 1)
        #expect(try a.importBundle(from: file) { _ in }.waitingCount == 1)
        try await world.sync(a)
        #expect(try a.row("second", names)?.slots[names.age] == .integer(7))
        try await world.expectEqual([a, b])
        #expect(try b.row("second", names)?.slots[names.age] == .integer(7))
    }

    @Test func `applies a save that waits only after what it follows, if that is renamed`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        let rule = LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400))
        let empty = try world.backUp()
        try a.insert("first", names)
        let file = world.scenario.folder.file("a.bundle")
        _ = try a.exportBundle(to: file)
        try a.insert("second", names)
        for store in [a, b] {
            for _ in 0..<2 { try await world.sync(store) }
            try store.trimLog(to: rule)
        }
        // The second save waits on the empty snapshot, and the bundle brings the first.
        try world.restore(empty)
        try await world.sync(a, refusing: .push)
        #expect(try a.importBundle(from: file) { _ in }.appliedCount == 1)
        #expect(try a.people(names).count == 1)
        // For the other store the first save is lost, so this one renames it.
        for store in [b, a] { try await world.sync(store) }
        #expect(try world.log().map(\.kind) == [.lost, .save, .save])
        // The entry of the loss has no time, so the engine has trimmed it already.
        #expect(try logPositions(a) == [3, 2])
        try await world.expectConverged([a, b], people: 2)
    }

    @Test func `does not say in a bundle that an author had seen what came later`() async throws {
        let world = try RestoredZone()
        world.clock = clock
        let names = world.scenario.names
        func open(_ name: String) throws -> Store {
            try world.scenario.open(name, clock: clock)
        }
        let (a, b, c) = (try open("a.db"), try open("b.db"), try open("c.db"))
        let d = try open("d.db")
        try b.insert("one", names)
        for store in [b, a] { try await world.sync(store) }
        try a.setAge(1, of: "one", names)
        clock.milliseconds += 1_000
        try b.setAge(2, of: "one", names)
        try await world.sync(a)
        try await world.sync(b, refusing: .push)
        try b.insert("two", names)
        try b.trimLog(to: LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400)))
        #expect(try logPositions(b) == [nil, nil])
        let file = world.scenario.folder.file("b.bundle")
        _ = try b.exportBundle(to: file)
        // One store gets the other's write before the bundle's, one after it.
        try await world.sync(d)
        #expect(try c.importBundle(from: file) { _ in }.waitingCount == 2)
        #expect(try d.importBundle(from: file) { _ in }.appliedCount == 2)
        for store in [c, b, d, a] { try await world.sync(store) }
        try await world.expectConverged([a, b, c, d], people: 2)
        for store in [a, b, c, d] {
            #expect(try store.conflicts(.all, limit: 9).map(\.value) == [.integer(1)])
        }
    }

    /// Both writes were made while each author had not seen the other's.
    @Test func `does not say to a restored zone that an author had seen what came later`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let empty = try world.backUp()
        let (a, b, c) = try await overwrittenAndTrimmed(in: world)
        try await restart(world, from: empty, [b, a, c])
        for store in [a, b, c] {
            #expect(try store.row("one", names)?.slots[names.age] == .integer(2))
            #expect(try store.conflicts(.all, limit: 9).map(\.value) == [.integer(1)])
        }
    }

    /// The log still has a later change set of the author of the removed one.
    @Test func `says to a restored zone what an author had seen, although the log lacks it`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let empty = try world.backUp()
        world.clock = clock
        let (a, b) = (
            try world.scenario.open("a.db", clock: clock),
            try world.scenario.open("b.db", clock: clock)
        )
        try b.insert("one", names)
        for store in [b, a] { try await world.sync(store) }
        pass(1)
        world.scenario.serverClock.milliseconds = clock.milliseconds
        try a.setAge(1, of: "one", names)
        try b.insert("two", names)
        try await world.sync(b)
        try await world.sync(a, refusing: .push)
        #expect(
            try a.trimLog(to: LogRetention(age: .seconds(43_200), leastAge: .zero)).saveCount == 1)
        #expect(try logPositions(a) == [nil, 2])
        let c = try world.scenario.open("c.db", clock: clock)
        try await restart(world, from: empty, [b, a, c])
        for store in [a, b, c] {
            #expect(try store.row("one", names)?.slots[names.age] == .integer(1))
            #expect(try store.conflictCount() == 0)
        }
    }

    /// Restores an empty zone, and begins its log with a save that none of the stores has.
    private func restart(
        _ world: RestoredZone, from empty: String, _ stores: [Store]
    ) async throws {
        let first = try world.scenario.open("d.db", clock: clock)
        try first.insert("first", world.scenario.names)
        try world.restore(empty)
        for store in [first] + stores { try await world.sync(store) }
        try await world.expectConverged(stores, people: 3)
    }

    /// A store that has removed the two saves of another store from its log, the second of which
    /// its own save had not seen; and a store that has only the first.
    private func overwrittenAndTrimmed(
        in world: RestoredZone
    ) async throws -> (a: Store, b: Store, c: Store) {
        let names = world.scenario.names
        world.clock = clock
        func open(_ name: String) throws -> Store {
            try world.scenario.open(name, clock: clock)
        }
        let (a, b, c) = (try open("a.db"), try open("b.db"), try open("c.db"))
        try b.insert("one", names)
        for store in [b, a, c] { try await world.sync(store) }
        try b.setAge(1, of: "one", names)
        clock.milliseconds += 1_000
        try a.setAge(2, of: "one", names)
        try await world.sync(b)
        try await world.sync(a, refusing: .push)
        try a.insert("two", names)
        try a.trimLog(to: LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400)))
        #expect(try logPositions(a) == [nil, nil])
        return (a, b, c)
    }

    // MARK: - The file

    @Test func `leaves room that a compaction gives back to the disk`() async throws {
        let a = try open("a.db")
        for number in 0..<20 {
            try a.insert(String(repeating: "\(number)", count: 50_000), names)
        }
        try await sync(a)
        for person in try a.people(names) {
            guard case .string(let name) = person.slots[names.name] else { continue }
            try a.delete(name, names)
        }
        try await sync(a)
        pass(40)
        let kept = try a.compact(keeping: .everything)
        #expect(kept.removedSaveCount == 0 && kept.byteCount > 1_000_000)
        let result = try a.compact()
        #expect(result.removedSaveCount == 39 && result.byteCount < 300_000)
        #expect(result.byteCountBefore == kept.byteCount)
        #expect(try a.check().isValid)
        try a.insert("later", names)
        try await sync(a)
        try scenario.expectConverged([a])
    }
}
