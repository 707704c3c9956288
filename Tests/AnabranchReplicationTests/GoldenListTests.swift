import AnabranchReplication
import TestSupport
import Testing

/// Bytes of version 1 of the format: list positions. They were written like those of
/// ``GoldenTests`` and are never rewritten.
@Suite struct GoldenListTests {
    let a = ReplicaID(bytes: 0xA0...0xAF) ?? ReplicaID(high: 0, low: 0)
    let b = ReplicaID(bytes: 0xB0...0xBF) ?? ReplicaID(high: 0, low: 0)
    let epoch = EpochID(bytes: 0xE0...0xEF) ?? EpochID(high: 0, low: 0)
    let early = HybridTimestamp(wallMilliseconds: 1_700_000_000_000)
    let late = HybridTimestamp(wallMilliseconds: 1_700_000_000_500, counter: 3)
    let list = WireProperty(name: "list", type: .group, rule: .group)
    let queue = WireProperty(name: "queue", type: .links, rule: .list)
    let circle = WireProperty(name: "circle", type: .mutualLinks, rule: .list)

    private var earlyOfA: Stamp { Stamp(timestamp: early, replica: a) }
    private var lateOfB: Stamp { Stamp(timestamp: late, replica: b) }

    /// Returns the first position of a list, one of a later block, and one before the first.
    private func positions() throws -> (ListPosition, ListPosition, ListPosition) {
        let ofA = Array(a.bytes.prefix(6))
        let ofB = Array(b.bytes.prefix(6))
        let first = [0x80] + ofA + [0x81, 0x80]
        let later = [0x81] + ofB + [0xC1, 70, 0xC2, 1, 44, 0x80]
        let inFront = first + [0x40, 0x7F] + ofB + [0x3E, 255 - 70, 0x7D, 0x80]
        return (
            try #require(ListPosition(bytes: first + [0x80])),
            try #require(ListPosition(bytes: later)), try #require(ListPosition(bytes: inFront))
        )
    }

    @Test func `positions are in their order, and made as written down`() throws {
        let (first, later, inFront) = try positions()
        #expect(inFront < first && first < later)
        var maker = ListPositionGenerator(Dot(replica: a, sequence: 1))
        #expect(maker.position(between: nil, and: nil) == first)
    }

    @Test func `links with places, moves, and a reference into a list`() throws {
        let (first, later, inFront) = try positions()
        let entry = ListEntry(target: RecordID(replica: b, number: 2), position: inFront)
        let entries = RowBlock(
            entity: "Item", records: [id(1), id(2)], properties: [list],
            columns: [[entry.value, .null]])
        let links: [LinkBlock.Link] = [
            .init(left: id(1), right: id(2), place: LinkPosition(inLeft: first)),
            .init(
                left: RecordID(replica: b, number: 3), right: id(1),
                place: LinkPosition(inLeft: later)),
        ]
        let mutual = LinkBlock.Link(
            left: id(1), right: id(2), place: LinkPosition(inLeft: later, inRight: inFront))
        let beforeLateOfB = Stamp(
            timestamp: HybridTimestamp(rawValue: late.rawValue - 1), replica: b)
        let moved = LinkBlock.Link(
            left: id(2), right: id(2), observedTags: [earlyOfA, beforeLateOfB],
            place: LinkPosition(inLeft: inFront))
        let removed = LinkBlock.Link(left: id(1), right: id(9), observedTags: [earlyOfA])
        let payload = ChangePayload(blocks: [
            .update(entries), .link(LinkBlock(entity: "Item", property: queue, links: links)),
            .link(LinkBlock(entity: "Item", property: circle, links: [mutual])),
            .move(LinkBlock(entity: "Item", property: queue, links: [moved])),
            .unlink(LinkBlock(entity: "Item", property: queue, links: [removed])),
        ])
        let set = ChangeSet(
            saving: payload.encoded(author: b), dot: Dot(replica: b, sequence: 1),
            timestamp: late, name: "order", previousOrigin: .zero,
            context: CausalContext(prefix: .init(epoch: epoch, position: 7)))
        Golden.expect(bytes: set.encoded(), matches: "golden-1-list.hex")
        let read = try ChangeSet(decoding: Golden.bytes(named: "golden-1-list.hex"))
        #expect(read == set)
        #expect(try read.decodedPayload() == payload)
        #expect(payload.blocks.allSatisfy { $0.unknownRule == nil })
    }

    @Test func `a canonical record with concurrent moves`() throws {
        let (first, later, inFront) = try positions()
        let entry = ListEntry(target: RecordID(replica: b, number: 2), position: inFront)
        let moved = LinkTags(placed: [
            .init(lateOfB, at: LinkPosition(inLeft: later)),
            .init(earlyOfA, at: LinkPosition(inLeft: first)),
        ])
        let mutual = LinkTags(placed: [
            .init(lateOfB, at: LinkPosition(inLeft: later, inRight: inFront))
        ])
        let record = CanonicalRecord(
            id: id(1), entity: "Item",
            cells: [.init(property: list, value: entry.value, stamp: lateOfB)],
            links: [
                .init(property: queue, right: id(2), tags: moved),
                .init(property: circle, right: id(2), tags: mutual),
            ])
        Golden.expect(bytes: record.encoded(), matches: "golden-1-list-record.hex")
        #expect(try CanonicalRecord(decoding: record.encoded()).encoded() == record.encoded())
        var hash = CanonicalHash()
        hash.update(record)
        #expect(
            hash.finish().description
                == "27b467be242af836b975c63bb1b08e80b305716dd5dd4896289d487b6da8500a")
    }

    private func id(_ number: UInt64) -> RecordID { RecordID(replica: a, number: number) }
}
