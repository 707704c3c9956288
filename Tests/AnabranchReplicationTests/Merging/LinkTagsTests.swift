import AnabranchReplication
import TestSupport
import Testing

@Suite struct LinkTagsTests {
    @Test(arguments: TestLength.seeds(80))
    func `tags are a set: no order and no repetition of adds matters`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let replicas = (0..<2).map { _ in generator.replica() }
        let stamps = Set((0..<4).map { _ in generator.stamp(of: replicas) }).sorted()
        for order in stamps.permutations {
            var tags = LinkTags()
            let areNew = (order + order).map { tags.add($0) }
            #expect(areNew == order.map { _ in true } + order.map { _ in false })
            #expect(tags.tags == stamps)
            #expect(tags == LinkTags(order + order))
            #expect(tags.greatest == stamps.last)
        }
    }

    @Test func `an add that a remove had not seen survives it in either order`() {
        let (seen, unseen) = (stamp(1), stamp(2))
        var addFirst = LinkTags([seen])
        addFirst.add(unseen)
        addFirst.remove([seen])
        var removeFirst = LinkTags([seen])
        removeFirst.remove([seen])
        removeFirst.add(unseen)
        #expect(addFirst == LinkTags([unseen]))
        #expect(addFirst == removeFirst)
    }

    @Test func `removals commute and repeat without effect`() {
        let stamps = (1...6 as ClosedRange<UInt64>).map(stamp)
        for first in [Array(stamps[0..<2]), stamps] {
            for second in [[], Array(stamps[1..<6]), [stamp(99)]] {
                var left = LinkTags(stamps)
                var right = LinkTags(stamps)
                left.remove(first)
                left.remove(second)
                right.remove(second)
                right.remove(first)
                #expect(left == right)
                #expect(left.tags == stamps.filter { !(first + second).contains($0) })
                let removesMore = left.remove(first + second)
                #expect(!removesMore)
            }
        }
    }

    @Test func `removing what is not there says so`() {
        var tags = LinkTags([stamp(1), stamp(3)])
        let seen: [[Stamp]] = [[], [stamp(2)], [stamp(2), stamp(3)], [stamp(1)]]
        let removed = seen.map { tags.remove($0) }
        #expect(removed == [false, false, true, true])
        #expect(tags.isEmpty)
        #expect(tags.greatest == nil)
    }

    /// A quadratic algorithm would take hours for a hundred thousand tags against as many seen
    /// tags.
    @Test func `long lists of tags are removed in one pass`() {
        let stamps = (0..<100_000 as Range<UInt64>).map(stamp)
        var tags = LinkTags(stamps)
        tags.remove(stamps.reversed().filter { $0 != stamp(7) })
        #expect(tags.tags == [stamp(7)])
    }

    private func stamp(_ number: UInt64) -> Stamp {
        Stamp(timestamp: HybridTimestamp(rawValue: number), replica: ReplicaID(high: 0, low: 1))
    }
}

/// Tests of tags with list positions.
@Suite struct ListTagsTests {
    private let replica = ReplicaID(high: 1, low: 1)

    private func stamp(_ time: Int64) -> Stamp {
        Stamp(timestamp: HybridTimestamp(wallMilliseconds: time), replica: replica)
    }

    private func places(_ count: Int) -> [LinkPosition] {
        var maker = ListPositionGenerator(Dot(replica: replica, sequence: 1))
        var last: ListPosition?
        return (0..<count).map { _ in
            let made = maker.position(between: last, and: nil)
            last = made
            return LinkPosition(inLeft: made)
        }
    }

    @Test func `concurrent moves leave one link, in the later one's place`() {
        let places = places(3)
        var orders: Set<LinkTags> = []
        for isFirst in [true, false] {
            var tags = LinkTags(placed: [.init(stamp(1), at: places[0])])
            let moves = [(stamp(2), places[1]), (stamp(3), places[2])]
            for move in isFirst ? moves : moves.reversed() {
                tags.move([stamp(1)], to: move.1, tag: move.0)
            }
            #expect(tags.all.last?.place == places[2])
            #expect(tags.tags == [stamp(2), stamp(3)])
            orders.insert(tags)
        }
        #expect(orders.count == 1)
    }

    @Test func `a move survives a concurrent remove, in whatever order they come`() {
        let places = places(2)
        var moveFirst = LinkTags(placed: [.init(stamp(1), at: places[0])])
        var removeFirst = moveFirst
        moveFirst.move([stamp(1)], to: places[1], tag: stamp(2))
        moveFirst.remove([stamp(1)])
        removeFirst.remove([stamp(1)])
        removeFirst.move([stamp(1)], to: places[1], tag: stamp(2))
        #expect(moveFirst == removeFirst)
        #expect(moveFirst.all.last?.place == places[1])
    }

    @Test func `a repeated move changes nothing`() {
        let places = places(2)
        var tags = LinkTags(placed: [.init(stamp(1), at: places[0])])
        let isChanged = tags.move([stamp(1)], to: places[1], tag: stamp(2))
        let once = tags
        let isChangedAgain = tags.move([stamp(1)], to: places[0], tag: stamp(2))
        #expect(isChanged && !isChangedAgain)
        #expect(tags == once)
    }
}
