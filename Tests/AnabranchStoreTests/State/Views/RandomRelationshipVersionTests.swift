import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of replicas of several versions in which relationships become to-many, ordered or
/// unordered, and migrate one by one.
@Suite struct `Replicas of versions with other relationships` {
    @Test(arguments: TestLength.seeds(24))
    func `show the same as new stores of their versions`(seed: UInt64) throws {
        let world = try RelationshipWorld(seed: seed)
        for _ in 0..<50 { try world.step() }
        try world.settle()
    }
}

/// Replicas that save at random with three versions of a model, and that migrate in the middle.
private final class RelationshipWorld {
    private let scenario: StoreScenario
    private var generator: SeededGenerator
    private var stores: [Store] = []
    private var versions: [Int] = []
    private let models: [ManagedObjectModel]
    private let isUnique: Bool
    private var newStoreCount = 0

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let isUnique = Bool.random(using: &generator)
        let policy: DeletePolicy = Bool.random(using: &generator) ? .updateWins : .deleteWins
        self.isUnique = isUnique
        // Without lists, only to-ones change from the first version to the second.
        let hasLists = Bool.random(using: &generator)
        models = try (0..<3).map { version in
            try ManagedObjectModel {
                EntityDeclaration("Person", deletePolicy: policy) {
                    if isUnique { UniquenessConstraint("name") }
                    AttributeDeclaration("name", .string)
                    for relationship in Self.ofPerson(version, hasLists: hasLists) { relationship }
                }
                EntityDeclaration("Being", isAbstract: true, deletePolicy: policy) {
                    if isUnique { UniquenessConstraint("name") }
                    AttributeDeclaration("name", .string)
                    for relationship in Self.ofBeing(version) { relationship }
                }
                EntityDeclaration("Animal", parent: "Being", deletePolicy: policy)
            }
        }
        scenario = try StoreScenario(model: models[0])
        for number in 0..<3 {
            versions.append(Int.random(in: 0...1, using: &generator))
            stores.append(try scenario.open("\(number)", model: models[versions[number]]))
        }
    }

    /// The relationships of a person. A boss becomes several and then a list, a home becomes
    /// several and then gets an inverse, which is the stored side, friends become a list for one
    /// version, and so do peers and the pupils of a teacher, along which there is no cycle.
    private static func ofPerson(_ version: Int, hasLists: Bool) -> [RelationshipDeclaration] {
        let isOrdered = version == 1 && hasLists
        let boss =
            version == 0
            ? RelationshipDeclaration("boss", to: "Person", inverse: "reports")
            : RelationshipDeclaration(
                "boss", toMany: "Person", ordered: version == 2, inverse: "reports")
        let home =
            version == 0
            ? RelationshipDeclaration("home", to: "Being")
            : RelationshipDeclaration(
                "home", toMany: "Being", inverse: version == 2 ? "homes" : nil)
        return [
            boss, home, RelationshipDeclaration("reports", toMany: "Person", inverse: "boss"),
            RelationshipDeclaration(
                "peers", toMany: "Person", ordered: isOrdered, inverse: "peers"),
            RelationshipDeclaration("teacher", to: "Person", acyclic: true, inverse: "pupils"),
            RelationshipDeclaration(
                "pupils", toMany: "Person", ordered: isOrdered, inverse: "teacher"),
            RelationshipDeclaration(
                "friends", toMany: "Being", ordered: isOrdered, inverse: "keepers"),
        ]
    }

    private static func ofBeing(_ version: Int) -> [RelationshipDeclaration] {
        [
            RelationshipDeclaration(
                "keepers", toMany: "Person", ordered: version == 2, inverse: "friends")
        ]
            + (version == 2
                ? [RelationshipDeclaration("homes", toMany: "Person", inverse: "home")] : [])
    }

    // MARK: - Steps

    func step() throws {
        scenario.clock.milliseconds += Int64.random(in: 0...2, using: &generator)
        let number = Int.random(in: stores.indices, using: &generator)
        let store = stores[number]
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<3: try save { try self.insert(into: store) }
        case 3..<6: try save { try self.refer(in: store) }
        case 6..<12: try save { try self.changeLink(in: store) }
        case 12: try save { try self.delete(from: store) }
        case 13: try save { try self.rename(in: store) }
        case 14 where versions[number] < 2: try migrate(number)
        default: try sync(store)
        }
    }

    private func sync(_ store: Store) throws {
        try scenario.zone.pull(into: store)
        try scenario.zone.repair(store)
        try scenario.zone.push(from: store)
    }

    /// Ignores that a key is taken.
    private func save(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError
            where [.constraintConflict, .cyclicReference].contains(error.code)
        {}
    }

    private func name() -> PropertyValue { .string("\(Int.random(in: 0...7, using: &generator))") }

    private func record(_ entity: String, in store: Store) throws -> LocalID? {
        try store.allIDs(entity).randomElement(using: &generator)
    }

    private func insert(into store: Store) throws {
        var values = ["name": name()]
        guard Bool.random(using: &generator) else {
            try store.insert("Animal", values)
            return
        }
        let boss = store.model.entities.first { $0.name == "Person" }?.property(named: "boss")
        if boss?.relationship?.isToMany == false, let other = try record("Person", in: store) {
            values["boss"] = .integer(other)
        }
        try store.insert("Person", values)
    }

    private func rename(in store: Store) throws {
        let entity = Bool.random(using: &generator) ? "Person" : "Animal"
        guard let id = try record(entity, in: store) else { return }
        _ = try store.update(entity, id, ["name": name()])
    }

    private func delete(from store: Store) throws {
        let entity = Bool.random(using: &generator) ? "Person" : "Animal"
        if let id = try record(entity, in: store) { try store.delete(id) }
    }

    /// Sets a to-one; some are to-many in later versions.
    private func refer(in store: Store) throws {
        let (name, target) =
            [
                ("boss", "Person"), ("home", "Being"), ("teacher", "Person"),
            ].randomElement(using: &generator) ?? ("teacher", "Person")
        guard let person = try record("Person", in: store),
            store.model.entity(named: "Person")?.property(named: name)?.relationship?.isToMany
                == false
        else { return }
        let other =
            Int.random(in: 0..<4, using: &generator) > 0
            ? try record(target, in: store) : nil
        _ = try store.update("Person", person, [name: other.map(PropertyValue.integer) ?? .null])
        #expect(try store.value(name, of: person) == other.map(PropertyValue.integer) ?? .null)
    }

    /// Adds or removes one link of a to-many.
    private func changeLink(in store: Store) throws {
        let all = store.model.entities.flatMap(\.relationships).filter {
            $0.isToMany && schemaStoresLinks($0)
        }
        guard let relationship = all.randomElement(using: &generator),
            let owner = try record(relationship.entity.name, in: store)
        else { return }
        let entity = relationship.entity.name
        let linked = try store.related(owner, relationship.name, of: entity)
        if let member = linked.randomElement(using: &generator), Bool.random(using: &generator) {
            try store.link(owner, relationship.name, member, of: entity, isAdded: false)
            #expect(try !store.related(owner, relationship.name, of: entity).contains(member))
        } else if let other = try record(relationship.destination.name, in: store) {
            try store.link(owner, relationship.name, other, of: entity)
            #expect(try store.related(owner, relationship.name, of: entity).contains(other))
        }
    }

    private func schemaStoresLinks(_ relationship: RelationshipDescription) -> Bool {
        if case .links = relationship.storage { return true }
        return false
    }

    private func migrate(_ number: Int) throws {
        try sync(stores[number])
        let hash = try stores[number].canonicalHash()
        stores[number].close()
        versions[number] += 1
        stores[number] = try scenario.open("\(number)", model: models[versions[number]])
        #expect(try stores[number].canonicalHash() == hash)
        try compareWithNewStore(stores[number])
    }

    // MARK: - Checks

    private func compareWithNewStore(_ store: Store) throws {
        newStoreCount += 1
        try scenario.compareWithNewStore(store, number: newStoreCount)
    }

    func settle() throws {
        for _ in 0..<2 {
            for store in stores { try sync(store) }
        }
        let reference = try scenario.zone.reference()
        for (number, store) in stores.enumerated() {
            #expect(try store.canonicalHash() == reference.canonicalHash)
            #expect(try store.check().isValid)
            try compareWithNewStore(store)
            try scenario.repairAll(store, reference)
            try compare(store, with: reference)
            while versions[number] < 2 { try migrate(number) }
        }
        try scenario.compareWithSnapshot(reference, stores[0])
    }

    /// Checks that each to-many of people shows every link and reference under its name.
    private func compare(_ store: Store, with reference: ReferenceMerge) throws {
        guard !isUnique else { return }
        let living = Set(reference.living)
        for name in ["boss", "home"] {
            guard
                let relationship = store.model.entity(named: "Person")?.relationships
                    .first(where: { $0.name == name }), relationship.isToMany
            else { continue }
            for person in try store.allIDs("Person") {
                let id = try #require(try store.recordID(of: person))
                let references = try #require(reference.records[id]).cells.filter {
                    $0.key.name == WireName(name)
                }.flatMap(\.value.values).compactMap(ListEntry.target)
                let own = reference.links.keys.filter {
                    $0.left == id && $0.property.name == WireName(name)
                }.map(\.right)
                let inverse = reference.links.keys.filter {
                    name == "home" && $0.right == id && $0.property.name == "homes"
                        && relationship.inverse != nil
                }.map(\.left)
                let expected = Set(references + own + inverse).intersection(living)
                let shown = try store.related(person, name).compactMap(store.recordID)
                #expect(shown.count == Set(shown).count && Set(shown) == expected, "\(name)")
            }
        }
    }
}
