import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Duplicates in random histories` {
    @Test(arguments: TestLength.seeds(40))
    func `show what the rules say after every step`(seed: UInt64) throws {
        let world = try DuplicateWorld(seed: seed)
        for _ in 0..<60 { try world.step() }
        try world.settle()
        #expect(world.duplicateSetCount > 0)
    }

    @Test(arguments: TestLength.seeds(32))
    func `are the same in every order of delivery`(seed: UInt64) throws {
        let world = try DuplicateWorld(seed: seed)
        for _ in 0..<40 { try world.step() }
        try world.settle()
        let expected = try world.expected(world.stores[0])
        // The change set before another in the zone's log need not be its cause.
        for order in 0..<2 {
            let store = try world.scenario.open("order \(order)")
            for source in world.stores.shuffled(using: &world.generator) {
                try source.send(to: store, in: world.scenario)
            }
            try world.check(store)
            #expect(try world.expected(store).shown == expected.shown)
        }
    }

    @Test(arguments: TestLength.seeds(32))
    func `survive a fork in which one history gets another name`(seed: UInt64) throws {
        let world = try DuplicateWorld(seed: seed, areTwins: true)
        for _ in 0..<15 { try world.step() }
        try world.fork()
        for _ in 0..<30 { try world.step() }
        try world.settle()
    }

    @Test(arguments: TestLength.seeds(32))
    func `are repaired with all that they hide`(seed: UInt64) throws {
        let world = try DuplicateWorld(seed: seed)
        for _ in 0..<40 { try world.step() }
        try world.settle()
        guard try !world.expected(world.stores[0]).visible.isEmpty else { return }
        try world.damageAndRepair("a", world.stores[0])
    }
}
