import AnabranchReplication
import TestSupport
import Testing

/// Bytes of version 1 of the format: operations and values of the merge rules beyond `lastWriter`
/// and sets. They were written like those of ``GoldenTests`` and are never rewritten.
@Suite struct GoldenRuleTests {
    let a = ReplicaID(bytes: 0xA0...0xAF) ?? ReplicaID(high: 0, low: 0)
    let b = ReplicaID(bytes: 0xB0...0xBF) ?? ReplicaID(high: 0, low: 0)
    let epoch = EpochID(bytes: 0xE0...0xEF) ?? EpochID(high: 0, low: 0)
    let early = HybridTimestamp(wallMilliseconds: 1_700_000_000_000)
    let late = HybridTimestamp(wallMilliseconds: 1_700_000_000_500, counter: 3)
    let visits = WireProperty(name: "visits", type: .integer64, rule: .counter)
    let note = WireProperty(name: "note", type: .string, rule: .keepBoth)

    private var earlyOfA: Stamp { Stamp(timestamp: early, replica: a) }
    private var lateOfB: Stamp { Stamp(timestamp: late, replica: b) }
    private var beforeLateOfB: Stamp {
        Stamp(timestamp: HybridTimestamp(rawValue: late.rawValue - 1), replica: b)
    }

    @Test func `counters that are started, and deltas`() throws {
        let paid = WireProperty(name: "paid", type: .decimal, rule: .counter)
        let decimal = { (text: String) in
            ExactDecimal(text).map { PropertyValue.decimal($0) } ?? .null
        }
        let start = RowBlock(
            entity: "Person", records: [id(1)], properties: [paid, visits],
            columns: [[decimal("19.99")], [.null]])
        let deltas = RowBlock(
            entity: "Person", records: [id(1), RecordID(replica: b, number: 5)],
            properties: [paid, visits],
            columns: [[decimal("-1e-18"), decimal("4e19")], [.integer(1), .integer(.min)]])
        try expect(saved([.insert(start), .add(deltas)], by: a), "golden-1-add.hex")
    }

    @Test func `values that take the place of those that were seen`() throws {
        let seat = WireProperty(name: "seat", type: .reference, rule: .keepBoth)
        let notes = SiblingBlock(
            entity: "Person", property: note,
            writes: [
                .init(
                    record: id(1), value: .string("e\u{301}"),
                    observedTags: [earlyOfA, beforeLateOfB]),
                .init(record: RecordID(replica: b, number: 2), value: .null, observedTags: []),
            ])
        let seats = SiblingBlock(
            entity: "Person", property: seat,
            writes: [.init(record: id(1), value: .reference(id(9)), observedTags: [earlyOfA])])
        try expect(
            saved([.write(notes), .write(seats)], by: b, name: "edit"), "golden-1-siblings.hex")
    }

    @Test func `deletes that updates may win against`() throws {
        let deletes = YieldingDeleteBlock(
            entity: "Task",
            deletes: [
                .init(record: id(1), stampsSeen: [earlyOfA, beforeLateOfB]),
                .init(record: id(2), stampsSeen: []),
                .init(record: RecordID(replica: b, number: 1), stampsSeen: [beforeLateOfB]),
            ])
        try expect(saved([.yieldingDelete(deletes)], by: b), "golden-1-yielding-delete.hex")
    }

    @Test func `a group, with members of later versions, and an empty one`() throws {
        let address = WireProperty(name: "address", type: .group, rule: .group)
        let members: [(String, WireType, PropertyValue)] = [
            ("zip", .string, .string("8000")), ("city", .string, .string("Zürich")),
            ("city", .integer16, .integer(-3)),
            ("owner", .reference, .reference(RecordID(replica: b, number: 7))),
            ("later", WireType(rawValue: 77), .unknown(tag: 99, bytes: [1, 2, 3])),
            ("none", .double, .null),
        ]
        let group = try #require(
            GroupValue(members.map { .init(name: WireName($0.0), type: $0.1, value: $0.2) }))
        let rows = RowBlock(
            entity: "Person", records: [id(1), id(2), id(3)], properties: [address],
            columns: [[.group(group), .null, .group(.empty)]])
        try expect(saved([.insert(rows)], by: a), "golden-1-group.hex")
    }

    /// The record is dead: its deletes have not seen the delta, and a delta does not restore it.
    @Test func `a canonical record that was deleted, with values side by side`() {
        let best = WireProperty(name: "best", type: .integer32, rule: .max)
        let added = Stamp(timestamp: HybridTimestamp(rawValue: late.rawValue + 1), replica: a)
        let record = CanonicalRecord(
            id: id(1), entity: "Task",
            cells: [
                .init(property: visits, value: .integer(12), stamp: added),
                .init(property: note, value: .string("new"), stamp: lateOfB),
                .init(property: note, value: .string("old"), stamp: earlyOfA),
                .init(property: best, value: .integer(3), stamp: earlyOfA),
            ],
            links: [
                .init(
                    property: WireProperty(name: "friends", type: .links, rule: .set),
                    right: id(2), tags: LinkTags([lateOfB]))
            ], deleteMark: DeleteMark(seen: [lateOfB, earlyOfA]))
        Golden.expect(bytes: record.encoded(), matches: "golden-1-dead-record.hex")
        #expect(record.isDead)
        var hash = CanonicalHash()
        hash.update(record)
        #expect(
            hash.finish().description
                == "e70e4e222b1414b5cce79857f2b71407803bbe86834721291450cd914cd0a70f")
    }

    private func id(_ number: UInt64) -> RecordID { RecordID(replica: a, number: number) }

    private func saved(
        _ blocks: [ChangeBlock], by replica: ReplicaID, name: String = ""
    ) -> ChangeSet {
        let isFirst = replica == a
        return ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica),
            dot: Dot(replica: replica, sequence: 1), timestamp: isFirst ? early : late, name: name,
            previousOrigin: .zero,
            context: isFirst ? .empty : CausalContext(prefix: .init(epoch: epoch, position: 7)))
    }

    private func expect(_ changeSet: ChangeSet, _ file: String) throws {
        Golden.expect(bytes: changeSet.encoded(), matches: file)
        let read = try ChangeSet(decoding: Golden.bytes(named: file))
        #expect(read == changeSet)
        let payload = try read.decodedPayload()
        #expect(payload == (try changeSet.decodedPayload()))
        #expect(payload.blocks.allSatisfy { $0.unknownRule == nil })
    }
}
