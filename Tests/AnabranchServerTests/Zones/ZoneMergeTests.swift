import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the zone's merge against the reference model, over random histories, causal orders and
/// pushes.
@Suite struct ZoneMergeTests {
    @Test(arguments: StorageKind.allCases, TestLength.seeds(60))
    func `a zone ends in the state of the reference merge`(
        kind: StorageKind, seed: UInt64
    ) throws {
        let history = try RandomHistory(seed: seed)
        var reference = ReferenceMerge()
        for changeSet in history.changeSets { try reference.apply(changeSet) }
        let zone = try TestZone(kind)
        try zone.push(history, seed: seed &+ 1)
        #expect(try zone.service.canonicalHash().hash == reference.canonicalHash)
        try zone.reopen()
        #expect(try zone.service.canonicalHash().hash == reference.canonicalHash)
    }

    @Test(arguments: StorageKind.allCases, TestLength.seeds(100))
    func `a zone ends in the state of the reference merge under every rule`(
        kind: StorageKind, seed: UInt64
    ) throws {
        let history = try RandomHistory(seed: seed, rules: .all)
        var reference = ReferenceMerge()
        for changeSet in history.changeSets { try reference.apply(changeSet) }
        let zone = try TestZone(kind)
        try zone.push(history, seed: seed &+ 1)
        for record in try zone.records() {
            #expect(record.encoded() == reference.state[record.id]?.encoded())
        }
        #expect(try zone.service.canonicalHash().hash == reference.canonicalHash)
        for id in reference.records.keys {
            let image = try zone.storage.read { try $0.image(of: id) }
            let expected = reference.image(of: id)
            #expect(image.record?.encoded() == expected.record?.encoded())
            #expect(Set(image.incoming) == Set(expected.incoming))
        }
        let living = try zone.storage.read { try $0.counts().records }
        #expect(living == Int64(reference.living.count))
        try zone.reopen()
        #expect(try zone.service.canonicalHash().hash == reference.canonicalHash)
    }

    /// A reference model with one wrong rule must differ, or the histories prove nothing.
    @Test(.long, arguments: ReferenceMerge.Mistake.allCases)
    func `a mistake in a rule shows in the state`(mistake: ReferenceMerge.Mistake) throws {
        let differing = try (UInt64(0)..<40).first { seed in
            let history = try RandomHistory(seed: seed, rules: .all)
            var reference = ReferenceMerge(mistaking: [mistake])
            for changeSet in history.changeSets { try reference.apply(changeSet) }
            let zone = try TestZone(.sqlite)
            try zone.push(history, seed: seed)
            return try zone.service.canonicalHash().hash != reference.canonicalHash
        }
        #expect(differing != nil)
    }

    @Test(.long, arguments: [Mechanism.linkTags, .recordsNotHeld])
    func `switching a mechanism off shows in the state`(mechanism: Mechanism) throws {
        let differing = try (UInt64(0)..<40).filter { seed in
            let history = try RandomHistory(seed: seed)
            var reference = ReferenceMerge()
            for changeSet in history.changeSets { try reference.apply(changeSet) }
            let zone = try TestZone(.sqlite)
            try Mechanism.without([mechanism]) { try zone.push(history, seed: seed) }
            return try zone.service.canonicalHash().hash != reference.canonicalHash
        }
        #expect(!differing.isEmpty)
    }

    @Test func `without the gap check a set is accepted before its predecessor`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (second, _) = author.insertPerson()
        let answer = try Mechanism.without([.gapCheck]) { try zone.push(second, first) }
        #expect(answer.refusal == nil)
        #expect(try zone.service.head().position == 2)
    }

    @Test func `without the digest check damaged bytes are accepted`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (set, record) = author.insertPerson("Ada")
        var bytes = set.encoded()
        let place = try #require(bytes.firstRange(of: Array("Ada".utf8))?.lowerBound)
        bytes[place] = UInt8(ascii: "I")
        let epoch = try zone.service.head().epoch
        let response = try Mechanism.without([.digestCheck]) {
            try zone.service.push(PushRequest(epoch: epoch, changeSets: [bytes]))
        }
        #expect(response.refusal == nil)
        let held = try zone.records().first { $0.id == record }
        #expect(held?.cells.contains { $0.value == .string("Ida") } == true)
    }

    @Test(arguments: StorageKind.allCases)
    func `a record takes nothing of an operation under another entity's name`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (set, record) = author.insertPerson()
        _ = try zone.push(set)
        let hash = try zone.service.canonicalHash().hash
        let wrong = author.save([
            .update(
                RowBlock(
                    entity: "Pet", records: [record], properties: [ChangeBlock.name],
                    columns: [[.string("Rex")]])),
            .delete(record, entity: "Pet"),
        ])
        #expect(try zone.push(wrong).refusal == nil)
        #expect(try zone.service.canonicalHash().hash == hash)
    }

    @Test(arguments: StorageKind.allCases)
    func `every kind of value comes back as it was written`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var generator = SeededGenerator(seed: 7)
        var author = TestAuthor(1)
        let record = author.newRecord()
        let types = (1...13).map { WireType(rawValue: $0) }
        let values = types.map { generator.value(of: $0, replicas: [author.replica]) }
        let properties = types.map { WireProperty(name: WireName("p\($0.rawValue)"), type: $0) }
        let set = author.save([
            .insert(
                RowBlock(
                    entity: "Everything", records: [record], properties: properties,
                    columns: values.map { [$0] }))
        ])
        #expect(try zone.push(set).refusal == nil)
        let cells = try #require(try zone.records().first).cells
        #expect(cells.count == values.count)
        for (property, value) in zip(properties, values) {
            #expect(cells.first { $0.property == property }?.value == value)
        }
    }
}

extension TestZone {
    /// Pushes a history in one of its causal orders, some change sets twice, cut into random
    /// pushes.
    func push(_ history: RandomHistory, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var rest = history.causalOrder(seed: seed)[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(4, rest.count), using: &generator)
            let response = try push(Array(rest.prefix(count)))
            #expect(response.refusal == nil)
            #expect(response.acknowledgements.count == count)
            rest.removeFirst(count)
        }
    }
}
