import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of stores whose edits use few records, compared with the reference model after every step.
/// The visible state follows from the stored state alone, so stores with equal states show the
/// same.
@Suite struct `Views of random histories` {
    private static let properties = ["next", "owner", "parent"]

    static func model(_ policy: DeletePolicy) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Folder", deletePolicy: policy) {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("parent", to: "Folder", acyclic: true, inverse: "children")
                RelationshipDeclaration("children", toMany: "Folder", inverse: "parent")
                RelationshipDeclaration("next", to: "Folder", acyclic: true, inverse: "previous")
                RelationshipDeclaration("previous", to: "Folder", inverse: "next")
                RelationshipDeclaration("desk", to: "Desk", inverse: "owner")
            }
            EntityDeclaration("Desk", deletePolicy: policy) {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("owner", to: "Folder", inverse: "desk")
            }
        }
    }

    private final class World {
        let scenario: StoreScenario
        let stores: [Store]
        var generator: SeededGenerator
        private let names: [ObjectIdentifier: String]

        init(seed: UInt64) throws {
            let policy: DeletePolicy = seed.isMultiple(of: 3) ? .updateWins : .deleteWins
            let scenario = try StoreScenario(model: model(policy))
            self.scenario = scenario
            let stores = try ["a", "b", "c"].enumerated().map { index, name in
                // The seed decides which of equal stamps wins.
                let high = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 &* UInt64(index + 1)
                return try scenario.open(name, replica: ReplicaID(high: high, low: seed))
            }
            self.stores = stores
            names = Dictionary(
                uniqueKeysWithValues: zip(stores.map(ObjectIdentifier.init), ["a", "b", "c"]))
            generator = SeededGenerator(seed: seed)
        }

        func step() throws {
            let store = generator.element(of: stores)
            // The step is often zero: stamps of different replicas are then equal in time.
            scenario.clock.milliseconds += Int64.random(in: 0...1, using: &generator)
            if generator.oneIn(4) {
                generator.oneIn(3)
                    ? try scenario.zone.sync(store) : try send(store)
            } else {
                try edit(store)
            }
            try check(store)
        }

        private func send(_ store: Store) throws {
            let other = generator.element(of: stores)
            guard other !== store else { return }
            try store.send(to: other, in: scenario)
            try check(other)
        }

        private func edit(_ store: Store) throws {
            let folders = try store.allIDs("Folder")
            let desks = try store.allIDs("Desk")
            if folders.count < 3 || (folders.count < 8 && generator.oneIn(4)) {
                try store.insert("Folder", ["name": .string("F"), "parent": target(folders)])
                return
            }
            if desks.count < 2 || (desks.count < 5 && generator.oneIn(8)) {
                try store.insert("Desk", ["name": .string("D"), "owner": target(folders)])
                return
            }
            switch Int.random(in: 0..<9, using: &generator) {
            case 0..<4: try set("parent", of: generator.element(of: folders), store, folders)
            case 4..<6: try set("next", of: generator.element(of: folders), store, folders)
            case 6, 7:
                _ = try store.update(
                    "Desk", generator.element(of: desks), ["owner": target(folders)])
            default:
                let isFolder = !generator.oneIn(3)
                let id = generator.element(of: isFolder ? folders : desks)
                try store.delete(id, of: isFolder ? "Folder" : "Desk")
            }
        }

        private func target(_ ids: [LocalID]) -> PropertyValue {
            ids.isEmpty || generator.oneIn(6) ? .null : .integer(generator.element(of: ids))
        }

        /// Checks that a save is refused exactly if the store's visible references would form a
        /// cycle.
        private func set(
            _ property: String, of id: LocalID, _ store: Store, _ folders: [LocalID]
        ) throws {
            let value = target(folders)
            var target: RecordID?
            if case .integer(let other) = value { target = try store.recordID(of: other) }
            let record = try #require(try store.recordID(of: id))
            let isCyclic = try expected(store).isCyclic(
                setting: property, of: record, to: target)
            let error = storeError { _ = try store.update("Folder", id, [property: value]) }
            #expect((error != nil) == isCyclic, "\(error.map(String.init) ?? "saved")")
            if let error {
                #expect(error.code == .cyclicReference)
                #expect(error.property == property)
                #expect(error.records == [id])
            }
        }

        func expected(_ store: Store) throws -> ExpectedReferences {
            var records: [CanonicalRecord] = []
            try store.read { try $0.canonicalRecords { records.append($0) } }
            return ExpectedReferences(
                of: records, properties: properties, exclusive: ["next", "owner"],
                acyclic: ["next", "parent"])
        }

        func check(_ store: Store) throws {
            let expected = try expected(store)
            let shown = try store.shownReferences()
            for property in properties {
                let place = "\(names[ObjectIdentifier(store)] ?? "") \(property)"
                #expect(shown[property] == expected.shown[property], "\(place)")
            }
        }

        /// Syncs all stores; a new store loads a snapshot.
        func settle() throws {
            for _ in 0..<2 { for store in stores { try scenario.zone.sync(store) } }
            for store in stores { try check(store) }
            let reference = try scenario.zone.reference()
            for store in stores { #expect(try store.canonicalHash() == reference.canonicalHash) }
            let late = try scenario.open("late")
            let place = try #require(try stores[0].syncState().cursor)
            try late.load(
                SnapshotChunk.chunks(of: reference, log: scenario.zone.log, records: 4), at: place)
            try check(late)
            #expect(try late.shownReferences() == stores[0].shownReferences())
        }
    }

    @Test(arguments: TestLength.seeds(40))
    func `show what the rules say after every step`(seed: UInt64) throws {
        let world = try World(seed: seed)
        for _ in 0..<50 { try world.step() }
        try world.settle()
    }

    @Test(arguments: TestLength.seeds(32))
    func `are the same in every order of delivery`(seed: UInt64) throws {
        let world = try World(seed: seed)
        for _ in 0..<40 { try world.step() }
        try world.settle()
        let expected = try world.stores[0].shownReferences()
        // The change set before another in the zone's log need not be its cause.
        for order in 0..<2 {
            let store = try world.scenario.open("order \(order)")
            let sources = world.stores.shuffled(using: &world.generator)
            for source in sources { try source.send(to: store, in: world.scenario) }
            try world.check(store)
            #expect(try store.shownReferences() == expected)
        }
    }
}

extension Store {
    func allIDs(_ entity: String) throws -> [LocalID] {
        try read { reader in
            var query = FetchQuery(entity: model.entity(named: entity)!)
            query.limit = .max
            return try reader.identifiers(query)
        }
    }

    func delete(_ id: LocalID, of entity: String) throws {
        guard let row = try row(entity, id) else { return }
        var request = SaveRequest()
        request.deletes = [.init(entity: row.entity, rows: [(id, row.version)])]
        _ = try save(request)
    }

    /// Returns the visible targets of all records' to-ones, checked from both ends.
    func shownReferences() throws -> [String: [RecordID: RecordID]] {
        var shown: [String: [RecordID: RecordID]] = [:]
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.entity == entity && relationship.storage == .reference {
                var references: [RecordID: RecordID] = [:]
                for id in try allIDs(entity.name) {
                    guard
                        case .integer(let target)? = try value(
                            relationship.name, of: id, entity.name)
                    else { continue }
                    references[try recordID(of: id)!] = try recordID(of: target)!
                }
                shown[relationship.name, default: [:]].merge(references) { $1 }
                guard let inverse = relationship.inverse else { continue }
                var back: [RecordID: RecordID] = [:]
                for id in try allIDs(relationship.destination.name) {
                    let holders = try related(id, inverse.name, of: relationship.destination.name)
                    #expect(inverse.isToMany || holders.count <= 1)
                    for holder in holders {
                        back[try recordID(of: holder)!] = try recordID(of: id)!
                    }
                }
                #expect(back == references)
            }
        }
        return shown
    }
}
