import AnabranchReplication
import TestSupport
import Testing

@Suite struct DeleteMarkTests {
    @Test(arguments: TestLength.seeds(80))
    func `every order of deletes comes to one union`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replicas = (0..<2).map { _ in generator.replica() }
        let all = (0..<5).map { _ in generator.stamp(of: replicas) }
        let deletes = (0..<4).map { _ in all.filter { _ in generator.oneIn(2) } }
        let expected = Set(deletes.joined()).sorted()
        for order in deletes.permutations {
            var mark = DeleteMark(seen: order[0])
            for delete in order.dropFirst() + order { mark.formUnion(delete) }
            #expect(mark.seen == expected)
            #expect(mark == DeleteMark(seen: order.joined()))
            let growsAgain = mark.formUnion(expected.reversed())
            #expect(!growsAgain)
        }
    }

    @Test func `a record is dead while every value that it holds was seen`() {
        var mark = DeleteMark(seen: [stamp(3), stamp(1), stamp(3)])
        #expect(mark.isDead(holding: [Stamp]()))
        #expect(mark.isDead(holding: [stamp(1), stamp(3), stamp(1)]))
        #expect(!mark.isDead(holding: [stamp(1), stamp(2)]))
        #expect(!mark.isDead(holding: [stamp(4)]))
        let grew = mark.formUnion([stamp(2)])
        #expect(grew)
        #expect(mark.isDead(holding: [stamp(1), stamp(2)]))
    }

    /// Neither a delta nor a link restores a record; a sibling does.
    @Test func `the registers of a canonical record decide whether it is dead`() {
        func record(_ rule: MergeRule, _ stamps: [UInt64], seen: [UInt64]?) -> CanonicalRecord {
            let property = WireProperty(name: "p", type: .integer64, rule: rule)
            let id = RecordID(replica: ReplicaID(high: 0, low: 1), number: 1)
            return CanonicalRecord(
                id: id, entity: "E",
                cells: stamps.map {
                    .init(property: property, value: .integer(1), stamp: stamp($0))
                },
                links: [
                    .init(
                        property: WireProperty(name: "l", type: .links, rule: .set), right: id,
                        tags: LinkTags([stamp(99)]))
                ], deleteMark: seen.map { DeleteMark(seen: $0.map(stamp)) })
        }
        #expect(!record(.lastWriter, [], seen: nil).isDead)
        #expect(record(.lastWriter, [], seen: []).isDead)
        #expect(record(.lastWriter, [1], seen: [1, 2]).isDead)
        #expect(!record(.max, [3], seen: [1, 2]).isDead)
        #expect(!record(.keepBoth, [1, 3], seen: [1, 2]).isDead)
        #expect(record(.counter, [3], seen: [1]).isDead)
        #expect(!record(MergeRule(rawValue: 200), [3], seen: [1]).isDead)
    }

    private func stamp(_ number: UInt64) -> Stamp {
        Stamp(timestamp: HybridTimestamp(rawValue: number), replica: ReplicaID(high: 0, low: 1))
    }
}
