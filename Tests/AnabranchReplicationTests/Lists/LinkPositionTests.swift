import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of links with list positions, and of references into lists, in the wire format.
@Suite struct LinkPlaceTests {
    private let author = ReplicaID(high: 7, low: 7)
    private let list = WireProperty(name: "queue", type: .links, rule: .list)
    private let circle = WireProperty(name: "circle", type: .mutualLinks, rule: .list)
    private let set = WireProperty(name: "friends", type: .links, rule: .set)

    private func id(_ number: UInt64) -> RecordID { RecordID(replica: author, number: number) }

    private func positions() -> (ListPosition, ListPosition) {
        var maker = ListPositionGenerator(Dot(replica: author, sequence: 3))
        let first = maker.position(between: nil, and: nil)
        return (first, maker.position(between: first, and: nil))
    }

    private func bytes(
        _ property: WireProperty, _ place: LinkPosition, _ block: (LinkBlock) -> ChangeBlock
    ) -> [UInt8] {
        let link = LinkBlock.Link(left: id(1), right: id(2), place: place)
        let links = LinkBlock(entity: "E", property: property, links: [link])
        return ChangePayload(blocks: [block(links)]).encoded(author: author)
    }

    private func refusal(_ bytes: [UInt8]) -> ChangeSetDecodingError.Code? {
        do {
            _ = try ChangePayload(decoding: bytes, author: author)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a set has no places and no moves`() {
        let place = LinkPosition(inLeft: positions().0)
        #expect(refusal(bytes(list, place) { .link($0) }) == nil)
        #expect(refusal(bytes(list, place) { .move($0) }) == nil)
        #expect(refusal(bytes(list, .none) { .move($0) }) == nil)
        #expect(refusal(bytes(set, place) { .link($0) }) == .malformed)
        #expect(refusal(bytes(set, .none) { .move($0) }) == .malformed)
    }

    @Test func `bytes that are no position or name a third side are refused`() throws {
        let position = positions().0
        let whole = bytes(list, LinkPosition(inLeft: position)) { .link($0) }
        let place = try #require(whole.firstRange(of: position.bytes)?.upperBound)
        var changed = whole
        changed[place - 1] = 0x41
        #expect(refusal(changed) == .malformed)
        // The byte of the sides comes after the entity and the property.
        let name = try #require(whole.firstRange(of: Array("queue".utf8))?.upperBound)
        let sides = name + 2 + 2 + 2
        #expect(whole[sides] == 1)
        changed = whole
        changed[sides] = 4
        #expect(refusal(changed) == .unsupportedVersion)
    }

    @Test func `a renaming that turns a mutual link round takes its places along`() throws {
        let (first, second) = positions()
        let other = RecordID(replica: ReplicaID(high: 8, low: 8), number: 1)
        let old = Dot(replica: author, sequence: 1)
        let insert = ChangeBlock.insert(
            RowBlock(entity: "E", records: [id(1)], properties: [], columns: []))
        let link = LinkBlock.Link(
            left: id(1), right: other, place: LinkPosition(inLeft: first, inRight: second))
        let saved = ChangeSet(
            saving: ChangePayload(blocks: [
                insert, .link(LinkBlock(entity: "E", property: circle, links: [link])),
            ]).encoded(author: author),
            dot: old, timestamp: HybridTimestamp(rawValue: 5), previousOrigin: .zero,
            context: .empty)
        var rewriting = Rewriting()
        let branch = ReplicaID(high: 9, low: 9)
        try rewriting.rename(
            saved, to: .init(dot: Dot(replica: branch, sequence: 1), timestamp: saved.timestamp))
        let blocks = try rewriting.rewritten(saved).decodedPayload().blocks
        guard case .link(let links)? = blocks.last else {
            Issue.record("There is no link.")
            return
        }
        let turned = LinkBlock.Link(
            left: other, right: RecordID(replica: branch, number: 1),
            place: LinkPosition(inLeft: second, inRight: first))
        #expect(links.links == [turned])
    }

    @Test func `a reference into a list is one value, and nothing else is`() throws {
        let entry = ListEntry(target: id(3), position: positions().1)
        #expect(ListEntry(entry.value) == entry)
        #expect(ListEntry.target(of: entry.value) == id(3))
        #expect(ListEntry.target(of: .reference(id(4))) == id(4))
        guard case .group(let group) = entry.value else {
            Issue.record("It is no group.")
            return
        }
        let more = try #require(
            group.replacing([.init(name: "later", type: .bool, value: .bool(true))]))
        let wrong = try #require(
            group.replacing([.init(name: "position", type: .data, value: .data(Data([1, 2])))]))
        for value in [.null, .group(more), .group(wrong), .integer(3)] as [PropertyValue] {
            #expect(ListEntry(value) == nil)
            #expect(ListEntry.target(of: value) == nil)
        }
    }
}
