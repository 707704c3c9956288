import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the state that a zone keeps for each merge rule, one case at a time.
@Suite struct ZoneRuleTests {
    private static let visits = WireProperty(name: "visits", type: .integer64, rule: .counter)
    private static let note = WireProperty(name: "note", type: .string, rule: .keepBoth)

    @Test(arguments: StorageKind.allCases)
    func `a dead record takes deltas, links and updates, which alone bring it back`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var ada = TestAuthor(1)
        var bob = TestAuthor(2)
        let (first, record) = ada.insertPerson()
        let (second, other) = ada.insertPerson()
        let deleted = ada.save([.yielding(record, seeing: [first.stamp])])
        _ = try zone.push(first, second, deleted)
        #expect(try dead(zone) == [record])
        #expect(try counted(zone) == 1)

        bob.observe(second)
        let around = bob.save([
            .befriend(other, record), .befriend(record, other),
            .rows(adding: record, Self.visits, .integer(3)),
        ])
        _ = try zone.push(around)
        #expect(try dead(zone) == [record])
        let links = try zone.records().flatMap(\.links)
        #expect(links.map(\.right) == [other, record])

        let renamed = bob.save([.rename(record, to: "Bob")])
        _ = try zone.push(renamed)
        #expect(try dead(zone).isEmpty)
        #expect(try counted(zone) == 2)
        let held = try #require(try zone.records().first { $0.id == record })
        #expect(held.cells.first { $0.property == Self.visits }?.value == .integer(3))
        #expect(held.deleteMark == DeleteMark(seen: [first.stamp]))

        // A delete that saw the rest completes the union of seen stamps.
        let again = bob.save([.yielding(record, seeing: [renamed.stamp])])
        _ = try zone.push(again)
        #expect(try dead(zone) == [record])
        try zone.reopen()
        #expect(try dead(zone) == [record])
    }

    @Test(arguments: StorageKind.allCases)
    func `a plain delete removes a dead record for good, with its links`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, record) = author.insertPerson()
        let (second, other) = author.insertPerson()
        _ = try zone.push(
            first, second, author.save([.befriend(record, other), .befriend(other, record)]),
            author.save([.yielding(record, seeing: [first.stamp])]))
        #expect(try zone.records().flatMap(\.links).count == 2)
        _ = try zone.push(author.save([.delete(record)]))
        #expect(try zone.records().map(\.id) == [other])
        #expect(try zone.records().flatMap(\.links).isEmpty)
        let late = author.save([
            .rename(record, to: "late"), .yielding(record, seeing: []),
            .rows(adding: record, Self.visits, .integer(1)),
            .write(changedNote("late", of: record, seeing: [])),
        ])
        #expect(try zone.push(late).refusal == nil)
        #expect(try zone.records().map(\.id) == [other])
    }

    @Test(arguments: StorageKind.allCases)
    func `a dead identity is not inserted again`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, record) = author.insertPerson()
        _ = try zone.push(first, author.save([.yielding(record, seeing: [first.stamp])]))
        let again = author.save([.person(record, name: "Ada")])
        #expect(try zone.push(again).acknowledgements.first?.rejection?.code == .malformed)
    }

    @Test(arguments: StorageKind.allCases)
    func `operations under another entity's name change nothing`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (set, record) = author.insertPerson()
        _ = try zone.push(set)
        let hash = try zone.service.canonicalHash().hash
        let wrong = author.save([
            .yielding(record, seeing: [set.stamp], entity: "Pet"),
            .rows(adding: record, Self.visits, .integer(1), entity: "Pet"),
            .write(changedNote("x", of: record, seeing: [], entity: "Pet")),
        ])
        #expect(try zone.push(wrong).refusal == nil)
        #expect(try zone.service.canonicalHash().hash == hash)
    }

    /// A block has two operations on one record, and more records than are fetched together.
    @Test(arguments: StorageKind.allCases)
    func `every operation of a long block counts`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let records = (0..<1_500).map { _ in author.newRecord() }
        let twice = records + [records[0]]
        let inserted = author.save([
            .insert(RowBlock(entity: "Person", records: records, properties: [], columns: []))
        ])
        let added = author.save([
            .add(
                RowBlock(
                    entity: "Person", records: twice, properties: [Self.visits],
                    columns: [ValueColumn(repeatElement(.integer(2), count: twice.count))])),
            .write(
                SiblingBlock(
                    entity: "Person", property: Self.note,
                    writes: twice.map {
                        .init(record: $0, value: .string("n"), observedTags: [])
                    })),
        ])
        #expect(try zone.push(inserted, added).refusal == nil)
        let held = try zone.records()
        #expect(held.map(\.cells.count) == records.map { _ in 2 })
        let sums = held.compactMap { $0.cells.first { $0.property == Self.visits }?.value }
        #expect(sums == records.map { $0 == records[0] ? .integer(4) : .integer(2) })
    }

    private func changedNote(
        _ text: String, of record: RecordID, seeing tags: [Stamp], entity: WireName = "Person"
    ) -> SiblingBlock {
        SiblingBlock(
            entity: entity, property: Self.note,
            writes: [.init(record: record, value: .string(text), observedTags: tags)])
    }

    private func dead(_ zone: TestZone) throws -> [RecordID] {
        try zone.records().filter(\.isDead).map(\.id)
    }

    private func counted(_ zone: TestZone) throws -> Int64 {
        try zone.storage.read { try $0.counts().records }
    }
}

extension ChangeBlock {
    fileprivate static func yielding(
        _ record: RecordID, seeing stamps: [Stamp], entity: WireName = "Person"
    ) -> ChangeBlock {
        .yieldingDelete(
            YieldingDeleteBlock(
                entity: entity, deletes: [.init(record: record, stampsSeen: stamps)]))
    }

    fileprivate static func rows(
        adding record: RecordID, _ property: WireProperty, _ delta: PropertyValue,
        entity: WireName = "Person"
    ) -> ChangeBlock {
        .add(
            RowBlock(
                entity: entity, records: [record], properties: [property], columns: [[delta]]))
    }
}
