import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchStore

/// Tests of a store after a loss of power, on a disk that keeps only what was flushed.
@Suite struct `What a loss of power leaves` {
    let scenario: StoreScenario
    let disk = SimulatedDisk(seed: 7)

    init() throws { scenario = try StoreScenario() }

    private func open(
        _ name: String, _ durability: StoreOptions.Durability = .normal
    ) throws -> Store {
        let clock = scenario.clock
        var environment = StoreEnvironment.system
        environment.vfs = disk.name
        environment.fileIdentity = { _ in [] }
        environment.wallMilliseconds = { clock.milliseconds }
        var options = StoreOptions()
        options.durability = durability
        return try Store.open(
            at: name, model: scenario.model, options: options, environment: environment)
    }

    /// Loses the power. The disk keeps only what was flushed.
    private func losePower(_ name: String, _ stores: Store...) throws -> Store {
        disk.process(of: name).die()
        for store in stores { store.close() }
        disk.restart(name, afterLossOfPower: true, keepsUnflushed: false)
        return try open(name)
    }

    private func count(_ store: Store) throws -> Int {
        try store.read { try $0.changeSets(after: 0, limit: 1000) }.count
    }

    @Test func `includes all of a bundle that was reported as applied`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        try a.insertPerson("Bob")
        let b = try open("b")
        #expect(try a.send(to: b, in: scenario).appliedCount == 2)
        #expect(try count(losePower("b", b)) == 2)
    }

    @Test func `includes a bundle's change sets that wait for their causes`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let base = BundleBase(try a.read { try $0.versionVector() })
        try a.insertPerson("Bob")
        let b = try open("b")
        #expect(try a.send(to: b, in: scenario, lacking: base).waitingCount == 1)
        #expect(try losePower("b", b).waitingCount == 1)
    }

    /// The process that applied it died before it could report that.
    @Test func `includes a bundle's change sets that an earlier import had applied`() throws {
        let a = try scenario.open("a")
        try a.insertPerson("Anna")
        let b = try open("b")
        let (place, sets) = (LogCursor(startOf: scenario.zone.epoch), try a.sets())
        let cursor = sets.reduce(place) { $0.advanced(over: $1) }
        _ = try b.apply(RemotePage(changeSets: sets, after: place, cursor: cursor))
        #expect(try a.send(to: b, in: scenario).heldCount == 1)
        #expect(try count(losePower("b", b)) == 1)
    }

    @Test func `includes another process's saves once they leave the file`() throws {
        let full = try open("b", .full)
        let other = try open("b", .normal)
        try other.insertPerson("Anna")
        try full.makeDurable()
        #expect(try count(losePower("b", full, other)) == 1)
    }

    @Test func `includes each save under full durability, and perhaps not the last under normal`()
        throws
    {
        let b = try open("b", .full)
        try b.insertPerson("Anna")
        let after = try losePower("b", b)
        #expect(try count(after) == 1)
        try after.insertPerson("Bob")
        #expect(try count(losePower("b", after)) == 1, "the disk loses what was not flushed")
    }

    /// Some systems have two kinds of flush, of which only one reaches the medium.
    @Test func `a durable commit bypasses the drive's cache`() throws {
        let full = try open("a", .full)
        let before = disk.fullFlushCount
        try full.insertPerson("Anna")
        #expect(disk.fullFlushCount > before)
        let normal = try open("b", .normal)
        let between = disk.fullFlushCount
        try normal.insertPerson("Bob")
        #expect(disk.fullFlushCount == between)
        try normal.makeDurable()
        #expect(disk.fullFlushCount > between)
        let last = disk.fullFlushCount
        try normal.insertPerson("Cyd")
        #expect(disk.fullFlushCount == last, "the next save is an ordinary one again")
    }
}

extension Store {
    fileprivate func sets() throws -> [ChangeSet] {
        try read { try $0.changeSets(after: 0, limit: 1000) }.map(\.changeSet)
    }
}
