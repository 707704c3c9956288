import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchStore

/// Losses of power while the write-ahead log is copied into the file: at each operation of the
/// copy, so at each of its pages.
@Suite struct `A loss of power within a checkpoint` {
    private let scenario: StoreScenario

    init() throws { scenario = try StoreScenario() }

    private static let saves = 24

    private func open(_ disk: SimulatedDisk, _ durability: StoreOptions.Durability) throws -> Store
    {
        let clock = scenario.clock
        var environment = StoreEnvironment.system
        environment.vfs = disk.name
        environment.hasCheckpointer = false
        environment.fileIdentity = { _ in [] }
        environment.wallMilliseconds = { clock.milliseconds }
        var options = StoreOptions()
        options.durability = durability
        return try Store.open(
            at: "a", model: scenario.model, options: options, environment: environment)
    }

    /// Saves objects of two pages each, so that the log has pages of every table.
    private func fill(_ store: Store) throws {
        for number in 0..<Self.saves {
            scenario.clock.milliseconds += 1
            try store.insertPerson("\(number) " + String(repeating: "x", count: 6000))
        }
    }

    private func saveCount(_ store: Store) throws -> Int {
        try store.read { try $0.changeSets(after: 0, limit: .max).count }
    }

    /// Copies the log, with the loss of power after some operations of the disk.
    ///
    /// - Returns: True if the copy had ended before.
    private func checkpoint(_ store: Store, _ disk: SimulatedDisk, diesAfter count: Int) -> Bool {
        disk.process(of: "a").dieAfter(count)
        do {
            try store.withWriter { _ = try $0.checkpoint(.passive) }
        } catch {
            return false
        }
        return !disk.process(of: "a").isDead
    }

    @Test(arguments: [StoreOptions.Durability.normal, .full], [false, true])
    func `loses no save that was flushed, at any page`(
        durability: StoreOptions.Durability, keepsUnflushed: Bool
    ) throws {
        var operations = 0
        while true {
            let disk = SimulatedDisk(seed: UInt64(operations))
            let store = try open(disk, durability)
            try fill(store)
            let hash = try store.canonicalHash()
            let isWhole = checkpoint(store, disk, diesAfter: operations)
            disk.process(of: "a").die()
            store.close()
            disk.restart("a", afterLossOfPower: true, keepsUnflushed: keepsUnflushed)

            let after = try open(disk, durability)
            let count = try saveCount(after)
            // The first operation of a copy flushes the log; before it, normal saves may be lost.
            if durability == .full || operations > 1 { #expect(count == Self.saves) }
            #expect(try after.damage().isEmpty)
            if count == Self.saves { #expect(try after.canonicalHash() == hash) }
            try after.insertPerson("next")
            #expect(try saveCount(after) == count + 1)
            after.close()
            if isWhole { break }
            operations += 1
        }
        // Each page of the log is an operation.
        #expect(operations > 60)
    }
}
