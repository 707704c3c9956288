import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of stores that exchange bundles at random, in any order, some twice, some never.
@Suite struct `Stores that exchange bundles at random` {
    /// Three stores, their bundles so far, and their random next steps.
    private final class World {
        let scenario: StoreScenario
        let stores: [Store]
        private var generator: SeededGenerator
        private var bundles: [String] = []

        init(seed: UInt64) throws {
            let scenario = try StoreScenario()
            self.scenario = scenario
            stores = try ["a", "b", "c"].map { try scenario.open($0) }
            generator = SeededGenerator(seed: seed)
        }

        func step(syncing: Bool) throws {
            let store = generator.element(of: stores)
            scenario.clock.milliseconds += Int64.random(in: 0...20, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4: try edit(store)
            case 4..<6: try write(store)
            case 6..<9: try take(store)
            default: if syncing { try scenario.zone.sync(store) } else { try take(store) }
            }
        }

        private func edit(_ store: Store) throws {
            let people = try scenario.sql(
                name(of: store), "SELECT ab_pk FROM Person ORDER BY ab_pk")
            let ids: [LocalID] = people.compactMap { row in
                guard case .integer(let id)? = row.first else { return nil }
                return id
            }
            guard !ids.isEmpty, !generator.oneIn(3) else {
                try store.insertPerson("P\(generator.next() % 100)", boss: ids.last)
                return
            }
            let id = generator.element(of: ids)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: try store.delete(id)
            case 1: try store.set("boss", .integer(generator.element(of: ids)), of: id)
            default: try store.set("age", .integer(Int64(generator.next() % 9)), of: id)
            }
        }

        private func name(of store: Store) -> String {
            store === stores[0] ? "a" : store === stores[1] ? "b" : "c"
        }

        private func write(_ store: Store) throws {
            var base = BundleBase.nothing
            if !generator.oneIn(3), !bundles.isEmpty {
                let other = generator.element(of: bundles)
                base = BundleBase(senderOf: try BundleFile(other).check().header)
            }
            bundles.append(
                try scenario.bundle(store, as: "\(bundles.count).bundle", lacking: base))
        }

        private func take(_ store: Store) throws {
            guard !bundles.isEmpty else { return }
            let before = try store.read { try $0.versionVector() }
            try store.take(generator.element(of: bundles))
            #expect(try store.read { try $0.versionVector() }.isSuperset(of: before))
        }

        /// Sends everything from each store to each other store.
        func settle() throws {
            for _ in 0..<2 {
                for store in stores {
                    for other in stores where other !== store {
                        try store.send(to: other, in: scenario)
                    }
                }
            }
        }

        func log(of store: Store) throws -> [ChangeSet] {
            try store.read { try $0.changeSets(after: 0, limit: .max).map(\.changeSet) }
        }
    }

    @Test(arguments: TestLength.seeds(40))
    func `converge without any server`(seed: UInt64) throws {
        let world = try World(seed: seed)
        for _ in 0..<60 { try world.step(syncing: false) }
        try world.settle()
        for store in world.stores {
            var reference = ReferenceMerge()
            for set in try world.log(of: store) { try reference.apply(set) }
            #expect(try store.canonicalHash() == reference.canonicalHash)
            #expect(try store.waitingCount == 0)
        }
        #expect(try Set(world.stores.map { try $0.canonicalHash() }).count == 1)
        #expect(try Set(world.stores.map { try $0.read { try $0.versionVector() } }).count == 1)
    }

    @Test(arguments: TestLength.seeds(40))
    func `stores that also sync with a zone converge with it`(seed: UInt64) throws {
        let world = try World(seed: seed)
        for _ in 0..<60 { try world.step(syncing: true) }
        for _ in 0..<2 { for store in world.stores { try world.scenario.zone.sync(store) } }
        let reference = try world.scenario.zone.reference()
        for store in world.stores {
            #expect(try store.canonicalHash() == reference.canonicalHash)
            #expect(try store.pendingSaves().count == 0)
            #expect(try store.waitingCount == 0)
        }
        var held = VersionVector()
        for set in world.scenario.zone.log {
            #expect(set.context.beyond.allSatisfy { held.contains($0.dot) })
            held.insert(set.dot)
        }
    }

    /// Every change set comes separately, in any order.
    @Test(arguments: TestLength.seeds(40))
    func `agree with the reference merge whatever comes first`(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed, steps: 30, rules: .all)
        var reference = ReferenceMerge()
        for set in history.changeSets { try reference.apply(set) }
        let scenario = try StoreScenario(model: `Stores and the reference merge`.modelOfAllRules())
        let store = try scenario.open("a")
        var generator = SeededGenerator(seed: seed)
        var sets = history.changeSets.shuffled(using: &generator)
        while !sets.isEmpty {
            let count = min(Int.random(in: 1...4, using: &generator), sets.count)
            let bundle = try scenario.bundle(of: Array(sets.prefix(count)), as: "part.bundle")
            sets.removeFirst(count)
            for _ in 0..<(generator.oneIn(4) ? 2 : 1) { try store.take(bundle) }
        }
        #expect(try store.waitingCount == 0)
        #expect(try store.canonicalHash() == reference.canonicalHash)
        let log = try store.read { try $0.changeSets(after: 0, limit: .max) }
        #expect(log.count == history.changeSets.count)
    }

    @Test func `would not converge if causes were not waited for`() throws {
        var differences = 0
        for seed in UInt64(0)..<30 {
            let history = try RandomHistory(seed: seed)
            var reference = ReferenceMerge()
            for set in history.changeSets { try reference.apply(set) }
            let scenario = try StoreScenario(model: `Stores and the reference merge`.model())
            let store = try scenario.open("a")
            var generator = SeededGenerator(seed: seed)
            for set in history.changeSets.shuffled(using: &generator) {
                let bundle = try scenario.bundle(of: [set], as: "part.bundle")
                try Mechanism.without([.bundleCauses]) { try store.take(bundle) }
            }
            if try store.canonicalHash() != reference.canonicalHash { differences += 1 }
        }
        #expect(differences > 0)
    }
}
