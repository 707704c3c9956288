import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of stores that save independently and sometimes exchange, by seed.
@Suite struct `Stores that save and exchange at random` {
    @Test(arguments: TestLength.seeds(40))
    func `end in the state that the zone's log gives`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scenario = try StoreScenario()
        var stores = try (0..<3).map { try scenario.open("\($0)") }
        for step in 0..<60 {
            let index = Int.random(in: 0..<stores.count, using: &generator)
            if generator.oneIn(4) {
                try scenario.zone.sync(stores[index])
            } else if generator.oneIn(20), stores.count < 5 {
                try scenario.copy("\(index)", to: "\(stores.count)")
                stores.append(try scenario.open("\(stores.count)"))
            } else {
                try change(stores[index], step: step, &generator)
            }
            if generator.oneIn(3) {
                scenario.clock.milliseconds += Int64(generator.next() % 50) - 20
            }
        }
        for _ in 0..<2 { for store in stores { try scenario.zone.sync(store) } }
        let expected = try scenario.zone.reference().canonicalHash
        for (index, store) in stores.enumerated() {
            #expect(try store.canonicalHash() == expected, "store \(index)")
            #expect(try store.pendingSaves().count == 0)
            #expect(try scenario.isIntact("\(index)"))
        }
        #expect(Set(scenario.zone.log.map(\.dot)).count == scenario.zone.log.count)
    }

    private func change(
        _ store: Store, step: Int, _ generator: inout SeededGenerator
    ) throws {
        let people = try ids("Person", in: store)
        let teams = try ids("Team", in: store)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !people.isEmpty:
            try store.set("age", .integer(Int64(step)), of: generator.element(of: people))
        case 1 where !people.isEmpty:
            let boss = generator.element(of: people)
            try store.set("boss", .integer(boss), of: generator.element(of: people))
        case 2 where !people.isEmpty && generator.oneIn(3):
            try store.delete(generator.element(of: people))
        case 3 where !people.isEmpty && !teams.isEmpty:
            try store.link(
                generator.element(of: people), "teams", generator.element(of: teams),
                isAdded: !generator.oneIn(2))
        case 4: try store.insert("Team", ["title": .string("T\(step)")])
        default: try store.insertPerson("P\(step)", boss: people.randomElement(using: &generator))
        }
    }

    private func ids(_ entity: String, in store: Store) throws -> [LocalID] {
        let entity = store.model.entity(named: entity)!
        return try store.read { try $0.identifiers(FetchQuery(entity: entity)) }.sorted()
    }
}
