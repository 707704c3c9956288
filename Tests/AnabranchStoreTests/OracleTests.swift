import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

/// Tests of stores that apply histories of several replicas in several causal orders, against
/// ``ReferenceMerge``.
@Suite struct `Stores and the reference merge` {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("age", .integer64)
                RelationshipDeclaration("boss", to: "Person")
                RelationshipDeclaration("friends", toMany: "Person")
            }
        }
    }

    /// Returns models with fewer properties: a store defers what its model lacks, and the state
    /// includes it.
    static func olderModels() throws -> [ManagedObjectModel] {
        [
            try ManagedObjectModel {
                EntityDeclaration("Person") { AttributeDeclaration("name", .string) }
            },
            try ManagedObjectModel {
                EntityDeclaration("Person") {
                    RelationshipDeclaration("boss", to: "Person")
                    RelationshipDeclaration("friends", toMany: "Person")
                }
            },
            try ManagedObjectModel {
                EntityDeclaration("Something") { AttributeDeclaration("else", .string) }
            },
        ]
    }

    @Test(arguments: TestLength.seeds(60))
    func `agree on every state in every causal order`(seed: UInt64) throws {
        try expectAgreement(
            on: RandomHistory(seed: seed), [Self.model()] + Self.olderModels(), seed: seed)
    }

    /// Returns a model with properties under every merge rule. A property with another merge rule
    /// or type is kept without a column.
    static func modelOfAllRules(known: (String) -> Bool = { _ in true }) throws
        -> ManagedObjectModel
    {
        let attributes = [
            AttributeDeclaration("age", .integer64),
            AttributeDeclaration("best", .integer32, mergeRule: .max),
            AttributeDeclaration("born", .date, mergeRule: .firstWriter),
            AttributeDeclaration("done", .boolean, mergeRule: .max),
            AttributeDeclaration("first", .string, mergeRule: .min),
            AttributeDeclaration("fee", .decimal, mergeRule: .min),
            AttributeDeclaration("note", .string, mergeRule: .keepBoth),
            AttributeDeclaration("paid", .decimal, mergeRule: .counter),
            AttributeDeclaration("peak", .double, mergeRule: .max),
            AttributeDeclaration("visits", .integer64, mergeRule: .counter),
        ]
        let members = [
            AttributeDeclaration("city", .string), AttributeDeclaration("zip", .integer32),
        ]
        let address = members.map(\.name)
        return try ManagedObjectModel {
            EntityDeclaration("Task", deletePolicy: .updateWins) {
                for attribute in attributes where known(attribute.name) { attribute }
                for member in members where known(member.name) { member }
                for group in groups(of: address.filter(known)) { group }
                RelationshipDeclaration("boss", to: "Person")
                RelationshipDeclaration("chief", to: "Person", inverse: "duties")
            }
            EntityDeclaration("Person") {
                for attribute in attributes where !known(attribute.name) { attribute }
                for member in members where !known(member.name) { member }
                for group in groups(of: address.filter { !known($0) }) { group }
                RelationshipDeclaration("friends", toMany: "Person")
                RelationshipDeclaration("duties", toMany: "Task", ordered: true, inverse: "chief")
                RelationshipDeclaration("queue", toMany: "Person", ordered: true)
                RelationshipDeclaration(
                    "circle", toMany: "Person", ordered: true, inverse: "circle")
            }
        }
    }

    /// Returns the attribute group of an address, with the members that a model knows.
    private static func groups(of members: [String]) -> [AttributeGroup] {
        members.isEmpty ? [] : [AttributeGroup("address", attributes: members)]
    }

    @Test(arguments: TestLength.seeds(48))
    func `agree under every rule, whatever the models know`(seed: UInt64) throws {
        try expectAgreement(
            on: RandomHistory(seed: seed, steps: 40, rules: .all),
            [
                Self.modelOfAllRules(), Self.modelOfAllRules { $0 < "f" },
                Self.modelOfAllRules { $0 != "note" && $0 != "visits" }, Self.model(),
            ] + Self.olderModels(), seed: seed)
    }

    private func expectAgreement(
        on history: RandomHistory, _ models: [ManagedObjectModel], seed: UInt64
    ) throws {
        var reference = ReferenceMerge()
        for set in history.changeSets { try reference.apply(set) }
        for (index, model) in models.enumerated() {
            let scenario = try StoreScenario(model: model)
            let store = try scenario.open("\(index)")
            for set in history.causalOrder(seed: seed &* 7 &+ UInt64(index)) {
                scenario.zone.append(set)
            }
            try apply(scenario.zone, to: store, seed: seed)
            #expect(try store.canonicalHash() == reference.canonicalHash, "model \(index)")
            var records: [CanonicalRecord] = []
            try store.read { try $0.canonicalRecords { records.append($0) } }
            for record in records {
                let expected = try #require(reference.state[record.id])
                #expect(Set(record.cells).symmetricDifference(expected.cells) == [])
                #expect(Set(record.links).symmetricDifference(expected.links) == [])
                #expect(record.deleteMark == expected.deleteMark)
                #expect(record.encoded() == expected.encoded())
            }
            #expect(records.count == reference.state.count)
            try expectLists(store, reference)
            try expectRepairs(store, scenario.zone, reference)
            if index.isMultiple(of: 3) {
                try expectSnapshot(of: reference, behind: store, in: scenario)
            }
        }
    }

    /// Checks that a store that begins with a snapshot, and one that replaces its state by it,
    /// equal the other stores.
    private func expectSnapshot(
        of reference: ReferenceMerge, behind store: Store, in scenario: StoreScenario
    ) throws {
        let place = try #require(try store.syncState().cursor)
        let chunks = try SnapshotChunk.chunks(
            of: reference, log: scenario.zone.log, records: 5)
        let new = try scenario.open("new")
        let old = try scenario.open("old")
        let half = scenario.zone.log.count / 2
        _ = try old.apply(scenario.zone.page(for: old) { $0 = Array($0.prefix(half)) })
        for taking in [new, old] {
            try taking.load(chunks, at: place)
            #expect(try taking.canonicalHash() == reference.canonicalHash)
            #expect(try taking.syncState().cursor == place)
            let vectors = try [taking, store].map { try $0.read { try $0.versionVector() } }
            #expect(vectors[0] == vectors[1])
            // The stamps that a repair needs are there, although the log never had them.
            try expectRepairs(taking, scenario.zone, reference)
        }
    }

    /// Checks that every list is ordered by the positions of its greatest tags, and then by ID.
    private func expectLists(_ store: Store, _ reference: ReferenceMerge) throws {
        guard let person = store.model.entity(named: "Person"),
            let queue = person.property(named: "queue")?.relationship
        else { return }
        let living = Set(reference.living)
        for owner in living where reference.records[owner]?.entity == person.wireName {
            let members = reference.links.keys.filter {
                $0.left == owner && $0.property == queue.wireProperty && living.contains($0.right)
            }
            let expected = members.sorted {
                let (one, other) = (reference.place(of: $0), reference.place(of: $1))
                guard one?.inLeft != other?.inLeft else { return $0.right < $1.right }
                guard let first = one?.inLeft, let second = other?.inLeft else {
                    return one?.inLeft == nil
                }
                return first < second
            }
            let id = try #require(try store.localID(of: owner))
            let shown = try store.read {
                try $0.related(by: queue, of: [id]).map(\.id)
            }
            #expect(try shown.map { try store.recordID(of: $0) } == expected.map(\.right))
        }
    }

    /// Checks that replacing all records by their images changes nothing.
    private func expectRepairs(
        _ store: Store, _ zone: MemoryZone, _ reference: ReferenceMerge
    ) throws {
        let position = try #require(try store.syncState().cursor?.position)
        let changed = try store.repair(
            reference.state.keys.sorted().map { reference.image(of: $0) },
            at: CausalContext.Prefix(epoch: zone.epoch, position: position))
        // Records related to a replaced record are reported as changed.
        for entity in changed.entities {
            #expect(entity.inserted.isEmpty && entity.deleted.isEmpty)
            for slot in entity.updated.flatMap(\.slots.slots) {
                #expect(entity.entity.slots[slot].relationship?.inverse != nil)
            }
        }
        #expect(try store.canonicalHash() == reference.canonicalHash)
    }

    /// Applies the log in pages of several lengths.
    private func apply(_ zone: MemoryZone, to store: Store, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var position = 0
        while position < zone.log.count {
            let count = min(Int.random(in: 1...7, using: &generator), zone.log.count - position)
            _ = try store.apply(
                zone.page(for: store) { $0 = Array($0.prefix(count)) })
            position += count
        }
    }

    @Test(.long, arguments: [Mechanism.linkTags, .recordsNotHeld])
    func `differ when a mechanism is switched off`(mechanism: Mechanism) throws {
        var differences = 0
        for seed in UInt64(0)..<30 {
            let history = try RandomHistory(seed: seed)
            var reference = ReferenceMerge()
            for set in history.changeSets { try reference.apply(set) }
            let scenario = try StoreScenario(model: Self.model())
            let store = try scenario.open("a")
            for set in history.changeSets { scenario.zone.append(set) }
            try Mechanism.without([mechanism]) { try scenario.zone.pull(into: store) }
            if try store.canonicalHash() != reference.canonicalHash { differences += 1 }
        }
        #expect(differences > 0)
    }
}
