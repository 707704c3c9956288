import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of a to-one that is its own inverse, which replicas set concurrently.
@Suite struct `Pairs` {
    static func model(_ policy: DeletePolicy = .deleteWins) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person", deletePolicy: policy) {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("spouse", to: "Person", inverse: "spouse")
            }
        }
    }

    /// Three replicas of one zone, with the people that one of them has inserted.
    private struct Town {
        let scenario: StoreScenario
        let stores: [Store]
        let people: [RecordID]

        init(_ model: ManagedObjectModel, seed: UInt64 = 0, count: Int) throws {
            let scenario = try StoreScenario(model: model)
            self.scenario = scenario
            let stores = try ["a", "b", "c"].enumerated().map { index, name in
                // The seed decides which of equal stamps wins.
                let high = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 &* UInt64(index + 1)
                return try scenario.open(name, replica: ReplicaID(high: high, low: seed))
            }
            self.stores = stores
            people = try (0..<count).map {
                let id = try stores[0].insert("Person", ["name": .string("\($0)")])
                return try #require(try stores[0].recordID(of: id))
            }
            try exchange()
        }

        func exchange() throws {
            for _ in 0..<2 { for store in stores { try scenario.zone.sync(store) } }
        }

        func tick() { scenario.clock.milliseconds += 1_000 }

        /// Saves as a context does: both ends, and the former partners of both.
        func pair(_ person: Int, with other: Int?, on store: Store) throws {
            var wanted: [RecordID: PropertyValue] = [:]
            let shown = try store.shownReferences()["spouse"] ?? [:]
            let ends = [person, other].compactMap { $0.map { people[$0] } }
            for end in ends {
                guard try isAlive(end, on: store) else { return }
                if let former = shown[end] { wanted[former] = .null }
            }
            for end in ends { wanted[end] = .null }
            if let other {
                wanted[people[person]] = .integer(
                    try #require(try store.localID(of: people[other])))
                wanted[people[other]] = .integer(
                    try #require(try store.localID(of: people[person])))
            }
            try write(wanted, on: store)
        }

        func isAlive(_ record: RecordID, on store: Store) throws -> Bool {
            try store.localID(of: record).flatMap { try store.row("Person", $0) } != nil
        }

        private func write(_ values: [RecordID: PropertyValue], on store: Store) throws {
            let entity = try #require(store.model.entity(named: "Person"))
            let slot = try #require(entity.slotIndex(named: "spouse"))
            var request = SaveRequest()
            let rows = try values.sorted { $0.key < $1.key }.map { record, value in
                let id = try #require(try store.localID(of: record))
                let row = try #require(try store.row("Person", id))
                var slots = row.slots
                slots[slot] = value
                return (id: id, version: row.version, slots: slots)
            }
            request.updates = [.init(entity: entity, slots: [slot], rows: rows)]
            _ = try store.save(request)
        }

        /// The pairs that all replicas show, each by the places of its people in ascending order.
        func pairs() throws -> Set<[Int]> {
            try exchange()
            let hash = try stores[0].canonicalHash()
            let all = try stores.map { store in
                #expect(try store.canonicalHash() == hash)
                #expect(try store.check().isValid)
                return try pairs(on: store)
            }
            #expect(Set(all).count == 1)
            return all[0]
        }

        func pairs(on store: Store) throws -> Set<[Int]> {
            let shown = try store.shownReferences()["spouse"] ?? [:]
            return try Set(
                shown.map { person, spouse in
                    #expect(shown[spouse] == person)
                    return try [person, spouse].map { record in
                        try #require(people.firstIndex(of: record))
                    }.sorted()
                })
        }
    }

    @Test func `the later of two concurrent pairs shows, and the other one's partner has none`()
        throws
    {
        let town = try Town(Self.model(), count: 3)
        try town.pair(0, with: 1, on: town.stores[0])
        town.tick()
        try town.pair(1, with: 2, on: town.stores[1])
        #expect(try town.pairs() == [[1, 2]])
        try town.pair(1, with: nil, on: town.stores[2])
        #expect(try town.pairs() == [])
    }

    @Test func `three pairs in a circle leave the last one`() throws {
        let town = try Town(Self.model(), count: 3)
        for place in 0..<3 {
            try town.pair(place, with: (place + 1) % 3, on: town.stores[place])
            town.tick()
        }
        #expect(try town.pairs() == [[0, 2]])
    }

    @Test func `a record may be its own partner`() throws {
        let town = try Town(Self.model(), count: 2)
        try town.pair(0, with: 0, on: town.stores[0])
        #expect(try town.pairs() == [[0, 0]])
        try town.pair(0, with: 1, on: town.stores[1])
        #expect(try town.pairs() == [[0, 1]])
    }

    @Test func `predicates follow what shows`() throws {
        let town = try Town(Self.model(), count: 3)
        try town.pair(0, with: 1, on: town.stores[0])
        town.tick()
        try town.pair(1, with: 2, on: town.stores[1])
        _ = try town.pairs()
        for store in town.stores {
            func found(_ format: String) throws -> [String] {
                let entity = try #require(store.model.entity(named: "Person"))
                var query = FetchQuery(entity: entity)
                query.predicate = try FetchPredicate(format).resolved(for: entity)
                return try store.read { try $0.identifiers(query) }.map { id in
                    guard case .string(let name)? = try store.value("name", of: id) else {
                        return ""
                    }
                    return name
                }.sorted()
            }
            #expect(try found("spouse == nil") == ["0"])
            #expect(try found("spouse.name == '1'") == ["2"])
            #expect(try found("spouse.spouse.name == '1'") == ["1"])
        }
    }

    @Test func `a save and a page report the other records that show another partner`() throws {
        let town = try Town(Self.model(), count: 3)
        let (a, b) = (town.stores[0], town.stores[1])
        try town.pair(0, with: 1, on: a)
        _ = try town.pairs()
        try town.pair(1, with: 2, on: b)
        try town.scenario.zone.sync(b)
        let changes = try town.scenario.zone.pull(into: a)
        let updated = try changes.entities.flatMap(\.updatedIDs).compactMap(a.recordID)
        #expect(Set(updated) == Set(town.people))
    }

    @Test(arguments: [DeletePolicy.deleteWins, .updateWins])
    func `the partner of a deleted record has none`(policy: DeletePolicy) throws {
        let town = try Town(Self.model(policy), count: 3)
        try town.pair(0, with: 1, on: town.stores[0])
        _ = try town.pairs()
        let store = town.stores[1]
        try store.delete(try #require(try store.localID(of: town.people[1])), of: "Person")
        #expect(try town.pairs() == [])
        try town.pair(2, with: 0, on: town.stores[2])
        #expect(try town.pairs() == [[0, 2]])
    }

    @Test func `a to-one that becomes its own inverse shows what both records hold`() throws {
        let plain = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("spouse", to: "Person")
            }
        }
        let scenario = try StoreScenario(model: plain)
        var store = try scenario.open("a")
        let ids = try (0..<3).map { try store.insert("Person", ["name": .string("\($0)")]) }
        for (place, other) in [(0, 1), (1, 0), (2, 0)] {
            _ = try store.update("Person", ids[place], ["spouse": .integer(ids[other])])
        }
        let hash = try store.canonicalHash()
        func shown() throws -> [PropertyValue?] {
            try ids.map { try store.value("spouse", of: $0) }
        }
        store.close()
        store = try scenario.open("a", model: Self.model())
        #expect(try shown() == [.integer(ids[1]), .integer(ids[0]), .null])
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        store.close()
        store = try scenario.open("a", model: plain)
        #expect(try shown() == [.integer(ids[1]), .integer(ids[0]), .integer(ids[0])])
        #expect(try store.canonicalHash() == hash)
        store.close()
        store = try scenario.open("a", model: Self.model())
        _ = try store.update("Person", ids[0], ["spouse": .integer(ids[2])])
        #expect(try shown() == [.integer(ids[2]), .null, .integer(ids[0])])
        store.close()
        let many = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("spouse", toMany: "Person", inverse: "spouse")
            }
        }
        store = try scenario.open("a", model: many)
        #expect(try store.related(ids[0], "spouse").sorted() == [ids[1], ids[2]])
        #expect(try store.check().isValid)
    }

    /// Replicas pair and delete people at random and sync in a random order. Both ends agree on
    /// every replica at all times. In the end all replicas are equal, and so are one that loads a
    /// snapshot, one that repairs every record, and one that applies the log in another order.
    @Test(arguments: TestLength.seeds(100))
    func `of random concurrent saves agree on every replica`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let town = try Town(
            Self.model(generator.oneIn(3) ? .updateWins : .deleteWins), seed: seed, count: 5)
        for _ in 0..<40 {
            let store = generator.element(of: town.stores)
            // The step is often zero: stamps of different replicas are then equal in time.
            town.scenario.clock.milliseconds += Int64.random(in: 0...1, using: &generator)
            let person = Int.random(in: 0..<5, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<4:
                let other = Int.random(in: 0..<5, using: &generator)
                try town.pair(person, with: generator.oneIn(5) ? nil : other, on: store)
            case 4 where generator.oneIn(4):
                let id = try #require(try store.localID(of: town.people[person]))
                try store.delete(id, of: "Person")
            case 5:
                let other = generator.element(of: town.stores)
                if other !== store { try store.send(to: other, in: town.scenario) }
                _ = try town.pairs(on: other)
            default: try town.scenario.zone.sync(store)
            }
            _ = try town.pairs(on: store)
            try check(store)
        }
        let pairs = try town.pairs()
        try compareLate(town, pairs, &generator)
    }

    private func check(_ store: Store) throws {
        var records: [CanonicalRecord] = []
        try store.read { try $0.canonicalRecords { records.append($0) } }
        let expected = ExpectedReferences(
            of: records, properties: ["spouse"], exclusive: [], mutual: ["spouse"], acyclic: [])
        #expect(try store.shownReferences()["spouse"] == expected.shown["spouse"])
    }

    private func compareLate(
        _ town: Town, _ pairs: Set<[Int]>, _ generator: inout SeededGenerator
    ) throws {
        let reference = try town.scenario.zone.reference()
        let late = try town.scenario.open("late")
        let place = try #require(try town.stores[0].syncState().cursor)
        try late.load(
            SnapshotChunk.chunks(of: reference, log: town.scenario.zone.log, records: 2), at: place)
        #expect(try town.pairs(on: late) == pairs)
        let other = try town.scenario.open("order")
        for source in town.stores.shuffled(using: &generator) {
            try source.send(to: other, in: town.scenario)
        }
        #expect(try town.pairs(on: other) == pairs)
        #expect(try other.canonicalHash() == reference.canonicalHash)
        try town.scenario.sql("a", "DELETE FROM Person WHERE ab_pk % 2")
        try town.stores[0].queueForRepair(town.people)
        try town.scenario.zone.repair(town.stores[0])
        #expect(try town.pairs(on: town.stores[0]) == pairs)
        #expect(try town.stores[0].canonicalHash() == reference.canonicalHash)
    }
}
